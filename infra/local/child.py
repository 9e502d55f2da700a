"""The local server as a process of its own: for the demo and for tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 10


class DidNotStart(Exception):  # names what happened
    """The server ended before it listened; the message is what it said."""


@contextmanager
def serving(*, speed: int = 1) -> Iterator[str]:
    """The URL of an empty server on a free port of loopback, which ends with the block."""
    environment = {**os.environ, "PORT": "0", "SPEED": str(speed), "PYTHONUNBUFFERED": "1"}
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(
            [sys.executable, "-m", "infra.local"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            address = re.search(r"https?://[^\s;]+", process.stdout.readline())
            if address is None:
                complaints.seek(0)
                raise DidNotStart(complaints.read()[-2_000:].strip() or "no word from the server")
            yield address[0]
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
