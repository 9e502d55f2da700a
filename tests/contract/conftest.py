"""The API's document under the tools that others use. Only `make contract` collects these tests: it
brings the tools, which are no part of `make test`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from infra.local.child import serving

if "CONTRACT" not in os.environ:
    collect_ignore_glob = ["test_*.py"]

ROOT: Final = Path(__file__).parents[2]
HERE: Final = Path(__file__).parent
TOOLS: Final = ROOT / ".venv-contract" / "bin"
NPM: Final = HERE / "node_modules" / ".bin"
DOCUMENT: Final = ROOT / "docs" / "openapi.json"
CLIENTS: Final = ROOT / "docs" / "clients"
SPEED: Final = 30


def run(
    *command: str | Path, cwd: Path = ROOT, seconds: int = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What a tool says, all of it in `stdout`."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**_clean(os.environ), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
    )


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """An empty server whose hours are short: limits by the hour pass while it is watched."""
    with serving(speed=SPEED) as address:
        yield address
