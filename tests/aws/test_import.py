"""What a cold start pays: importing the handler, in proportion to what it can not do without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Final

ROOT: Final = Path(__file__).parents[2]
AT_MOST: Final = 1.3
ROUNDS: Final = 9
ENVIRONMENT: Final = {
    "PATH": os.environ["PATH"],
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_LAMBDA_FUNCTION_NAME": "api",
    "STAGE": "test",
    "ROOMS_TABLE": "rooms",
    "PLAYERS_TABLE": "players",
    "BEAT_FUNCTION": "beat",
}
BARE: Final = """
from chalice.app import Chalice, Response
import boto3
from pydantic import BaseModel, Field, StringConstraints, TypeAdapter, ValidationError
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
boto3.client("dynamodb")
"""
HANDLER: Final = "import app"


def run(program: str) -> str:
    """The last line that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1] if done.stdout else ""


def seconds(program: str) -> float:
    """Of a processor, so that others on this machine matter little."""
    lines = f"import time\nbegan = time.process_time()\n{program}\n"
    return float(run(f"{lines}print(time.process_time() - began)"))


def test_the_handler_costs_little_more_than_what_it_is_made_of() -> None:
    run(BARE), run(HANDLER)  # compiled, and in the disk's cache
    pairs = [(seconds(BARE), seconds(HANDLER)) for _ in range(ROUNDS)]
    bare, handler = (median(each) for each in zip(*pairs, strict=True))
    assert handler <= AT_MOST * bare, f"{handler * 1e3:.0f} ms, bare {bare * 1e3:.0f} ms"


def test_nothing_is_imported_that_a_poll_does_not_use() -> None:
    loaded = run("import sys, app\nprint(*sys.modules)").split()
    for name in ("requests", "asyncio", "chalice.cli", "matplotlib", "jsonschema"):
        assert name not in loaded
    for part in ("odds", "bots", "openapi", "wire"):
        assert not [name for name in loaded if name.startswith("chalicelib") and part in name]


def test_games_are_imported_one_by_one() -> None:
    program = "import sys, app\nfrom chalicelib.games import GAMES\nGAMES['liars-dice']\n"
    loaded = run(f"{program}print(*sys.modules)").split()
    found = {name.split(".")[2] for name in loaded if name.startswith("chalicelib.games.")}
    assert found == {"liars_dice"}


def test_only_the_client_that_a_poll_needs_is_made() -> None:
    program = "import app\nservice = app.app.service()\n"
    program += (
        "print(['_client' in vars(each._client) for each in (service.beating, service.push)])"
    )
    assert run(program) == "[False, False]"
