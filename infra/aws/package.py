"""What is deployed: one zip for all functions and one template, made by `chalice package` from a
copy of the app, and checked.

Chalice describes a REST API besides, which costs 3.5 times as much as any other front door; it is
taken out (docs/adr/0006-front-door.md). Modules are compiled into the zip: Lambda can not keep
what it compiles, and would compile all of it at every cold start.
"""

from __future__ import annotations

import compileall
import json
import os
import platform
import py_compile
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml  # type: ignore[import-untyped]

ROOT: Final = Path(__file__).parents[2]
BUILD: Final = ROOT / "build" / "aws"
HERE: Final = Path(__file__).parent

MAX_ZIP_BYTES: Final = 15 * 1024 * 1024
PROVIDED: Final = ("boto3", "botocore", "s3transfer", "jmespath", "dateutil", "urllib3")
"""Lambda's Python has these; ours would only make the zip larger."""
NEEDED: Final = {
    "pydantic": "pydantic/__init__.py",
    "pydantic_core": "pydantic_core/_pydantic_core.{tag}-linux-gnu.so",
    "cryptography": "cryptography/hazmat/bindings/_rust.abi3.so",
    "http_message_signatures": "http_message_signatures/__init__.py",
    "http_sf": "http_sf/__init__.py",
    "pythonjsonlogger": "pythonjsonlogger/json.py",
    "chalice": "chalice/app.py",
    "the app": "app.py",
}
"""Packages that the app imports, and a file of each; chalice only warns of a missing wheel."""
MACHINES: Final = {"arm64": "aarch64", "x86_64": "x86_64"}
ELF_MACHINES: Final = {"arm64": 183, "x86_64": 62}
PYTHONS: Final = ((3, 11), (3, 12), (3, 13), (3, 14))
"""What Lambda runs."""
EPOCH: Final = (2020, 1, 1, 0, 0, 0)


class NotPackaged(Exception):  # names what happened
    """There is nothing to deploy; the message says why."""


class Package(NamedTuple):
    """A zip, and a template whose functions' `CodeUri` is still to be put."""

    zip: Path
    template: dict[str, Any]


def own_architecture() -> str:
    """What this machine's Lambda would be."""
    return "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"


def package(stage: str, architecture: str, region: str) -> Package:
    """The checked package of the app as it is in the work tree. Raises `NotPackaged`."""
    if sys.version_info[:2] not in PYTHONS:
        raise NotPackaged(f"Lambda has no Python {sys.version_info[0]}.{sys.version_info[1]}")
    folder = BUILD / architecture
    out = folder / stage
    shutil.rmtree(out, ignore_errors=True)
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    # Chalice adds the one module of its own that runs on Lambda
    wanted = [line for line in lines if not line.startswith("chalice==")]
    said = run_chalice(folder / "project", out, stage, architecture, region, wanted)
    unpacked = out / "unpacked"
    with zipfile.ZipFile(out / "deployment.zip") as made:
        made.extractall(unpacked)
    check_contents(unpacked, architecture, said)
    if architecture == own_architecture():
        check_import(unpacked)
    _compile(unpacked)
    target = out / "code.zip"
    _zip(unpacked, target)
    shutil.rmtree(unpacked)
    size = target.stat().st_size
    if size > MAX_ZIP_BYTES:
        raise NotPackaged(f"the zip has {size:,} bytes, more than {MAX_ZIP_BYTES:,}")
    return Package(target, described(out))


def run_chalice(
    project: Path,
    out: Path,
    stage: str,
    architecture: str,
    region: str,
    requirements: Sequence[str],
) -> str:
    """What `chalice package` said while it put its zip and its template into `out`."""
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "deploy*")
    for name in ("chalicelib", ".chalice"):
        shutil.copytree(ROOT / name, project / name, ignore=ignored)
    shutil.copy(ROOT / "app.py", project)
    (project / "requirements.txt").write_text("\n".join([*requirements, ""]))
    config = project / ".chalice" / "config.json"
    settings = json.loads(config.read_text()) | {"lambda_architecture": architecture}
    config.write_text(json.dumps(settings))
    merge = project / "merge.json"
    resources = json.loads((HERE / "resources.json").read_text())
    stack = yaml.safe_load((HERE / "stack.yaml").read_text())
    merge.write_text(json.dumps(merged(resources, stack)))
    chalice = Path(sys.executable).with_name("chalice")
    command = [str(chalice), "--project-dir", str(project), "package"]
    command += ["--stage", stage, "--merge-template", str(merge), str(out)]
    environment = {**os.environ, "AWS_DEFAULT_REGION": region}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise NotPackaged(done.stdout + done.stderr)
    return done.stdout + done.stderr


def described(out: Path) -> dict[str, Any]:
    """The template that `chalice package` left there, as it is deployed."""
    return without_rest(json.loads((out / "sam.json").read_text()))


def merged(base: Any, over: Any) -> Any:
    """`over` on top of `base`, dictionary by dictionary."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return base | {key: merged(base.get(key), value) for key, value in over.items()}


def without_rest(template: dict[str, Any]) -> dict[str, Any]:
    """`template` without Chalice's REST API and what only that needs."""
    taken = ("RestAPI", "APIHandlerInvokePermission")
    outputs = ("RestAPIId", "EndpointURL", "APIHandlerArn", "APIHandlerName")
    keep = {name: each for name, each in template["Resources"].items() if name not in taken}
    said = {name: each for name, each in template["Outputs"].items() if name not in outputs}
    return template | {"Resources": keep, "Outputs": said}


def check_contents(unpacked: Path, architecture: str, said: str = "") -> None:
    """Everything needed is there, for this architecture, and nothing that Lambda has."""
    tag = f"cpython-{sys.version_info[0]}{sys.version_info[1]}-{MACHINES[architecture]}"
    for name, file in NEEDED.items():
        if not (unpacked / file.format(tag=tag)).exists():
            raise NotPackaged(f"{name} is not in the zip ({file.format(tag=tag)}).\n{said}".strip())
    for name in PROVIDED:
        if (unpacked / name).exists() or (unpacked / f"{name}.py").exists():
            raise NotPackaged(f"{name} is in the zip, though Lambda has it")
    for library in unpacked.rglob("*.so"):
        machine = int.from_bytes(library.read_bytes()[18:20], "little")
        if machine != ELF_MACHINES[architecture]:
            raise NotPackaged(f"{library.relative_to(unpacked)} is not for {architecture}")


def check_import(unpacked: Path) -> None:
    """The app can be imported from the zip alone."""
    program = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r}); import app; app.app, app.beat; "
        "from chalicelib.games import GAMES; list(GAMES.values()); import pythonjsonlogger.json"
    )
    command = [sys.executable, "-I", "-S", "-B", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NotPackaged(f"the app does not import from the zip:\n{done.stderr}")


def _compile(unpacked: Path) -> None:
    """Every module is compiled, for good: sources are not looked at again."""
    done = compileall.compile_dir(
        unpacked,
        quiet=2,
        stripdir=str(unpacked),
        prependdir="/var/task",
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    if not done:
        raise NotPackaged("a module does not compile")


def _zip(unpacked: Path, target: Path) -> None:
    """The same files give the same bytes: an unchanged app is no new deployment."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for path in sorted(each for each in unpacked.rglob("*") if each.is_file()):
            info = zipfile.ZipInfo(path.relative_to(unpacked).as_posix(), EPOCH)
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, path.read_bytes())
