"""Linted, compiled into clients, and tried out with thousands of requests."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from chalicelib.routes import ROUTES
from tests.contract.conftest import CLIENTS, DOCUMENT, HERE, NPM, ROOT, TOOLS, run

SECONDS: Final = 60
NOT_HELD: Final = "negative_data_rejection,positive_data_acceptance"
"""Signing everything mends what they break; and no schema knows which moves are legal."""
MOST_LINES: Final = 40


def test_it_is_clean_by_recommended_rules() -> None:
    rules = HERE / ".spectral.yaml"
    done = run(NPM / "spectral", "lint", DOCUMENT, "--ruleset", rules, "--fail-severity", "hint")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["signing.py", "signing.ts"])
def test_a_signing_hook_is_short(name: str) -> None:
    lines = map(str.strip, (CLIENTS / name).read_text("utf-8").splitlines())
    code = [line for line in lines if line and not line.startswith(("//", "/**"))]
    assert len(code) <= MOST_LINES


def test_a_generated_python_client_plays(tmp_path: Path, url: str) -> None:
    made = run(
        *(TOOLS / "openapi-python-client", "generate", "--path", DOCUMENT, "--meta", "none"),
        *("--config", HERE / "python-client.yaml", "--fail-on-warning"),
        *("--output-path", tmp_path / "sobremesa_client"),
    )
    assert made.returncode == 0, made.stdout
    compiled = run(TOOLS / "python", "-W", "error", "-m", "compileall", "-q", tmp_path)
    assert compiled.returncode == 0, compiled.stdout
    shutil.copy(CLIENTS / "signing.py", tmp_path)
    shutil.copy(HERE / "play.py", tmp_path)
    done = run(TOOLS / "python", "-W", "error", "play.py", cwd=tmp_path, URL=url)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("my dice: ")


def test_generated_types_compile_and_play(tmp_path: Path, url: str) -> None:
    types = run(
        *(NPM / "openapi-typescript", DOCUMENT, "--default-non-nullable", "false"),
        *("--output", tmp_path / "api.ts"),
    )
    assert types.returncode == 0, types.stdout
    shutil.copy(CLIENTS / "signing.ts", tmp_path)
    shutil.copy(HERE / "play.ts", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    compiled = run(
        *(NPM / "tsc", "--strict", "--target", "es2022", "--types", "node"),
        *("--module", "nodenext", "--lib", "es2022,dom,dom.iterable", "play.ts"),
        cwd=tmp_path,
    )
    assert compiled.returncode == 0, compiled.stdout
    done = run("node", "play.js", cwd=tmp_path, URL=url)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("my dice: ")


def test_nothing_that_can_be_asked_breaks_it(tmp_path: Path, url: str) -> None:
    done = run(
        *(TOOLS / "schemathesis", "run", DOCUMENT, "--url", url, "--max-time", str(SECONDS)),
        *("--exclude-checks", NOT_HELD, "--request-timeout", "10", "--no-color"),
        cwd=tmp_path,  # it leaves notes behind
        seconds=SECONDS + 120,
        PYTHONPATH=str(ROOT),
        SCHEMATHESIS_HOOKS="tests.contract.signed",
    )
    assert done.returncode == 0, done.stdout[-20_000:]
    assert f"Tested: {len(ROUTES)}" in done.stdout
