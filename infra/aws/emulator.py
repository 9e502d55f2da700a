"""AWS on loopback, for tests: PyPI `ministack` in a virtual environment of its own, since it pins
another botocore. It runs Lambda functions as processes, from the zip that was deployed."""

from __future__ import annotations

import fcntl
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = (
    "ministack==1.5.33",
    "aws-sam-translator==1.115.0",
    "boto3==1.43.106",
    "cfn-lint==1.58.0",
)
"""The emulator, what it deploys templates with, what Lambda's Python has, and what looks templates
over: these pin other releases of botocore and pydantic than ours."""
READY_SECONDS: Final = 60
HOST: Final = "127.0.0.1"


class DidNotStart(Exception):  # names what happened
    """The emulator ended, or never listened; the message is what it said."""


def program() -> Path:
    """The emulator's console script. Its virtual environment is made once and stays;
    `MINISTACK_VENV` says where."""
    venv = Path(os.environ.get("MINISTACK_VENV", ROOT / ".venv-ministack"))
    made = venv / f"made-{'-'.join(PACKAGES)}"
    lock = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two sessions may want it at once
        if not made.exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
            install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
            subprocess.run([venv / "bin" / "python", *install], check=True)
            made.touch()
    finally:
        os.close(lock)
    return venv / "bin" / "ministack"


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[str]:
    """The endpoint of an empty emulator that ends with the block; `folder/log` is what it says."""
    port = _free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "BIND_HOST": HOST,  # it would listen everywhere
        "GATEWAY_PORT": str(port),
        "LOG_LEVEL": "WARNING",
        **settings,
    }
    told = folder / "log"
    with told.open("w") as log:
        process = subprocess.Popen(
            [program()], env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        for _ in range(READY_SECONDS * 20):
            if _is_ready(port):
                break
            if process.poll() is not None:
                raise DidNotStart(told.read_text())
            time.sleep(0.05)
        else:
            raise DidNotStart(told.read_text())
        yield f"http://{HOST}:{port}"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/_ministack/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
