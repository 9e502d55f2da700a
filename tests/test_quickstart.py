"""docs/quickstart.py does what it says, as it stands, against a server."""

import ast
import os
import subprocess
import sys
from pathlib import Path

from infra.local.child import serving

FILE = Path(__file__).parents[1] / "docs/quickstart.py"


def test_it_makes_a_key_opens_a_room_and_bids_against_a_bot() -> None:
    with serving(speed=10) as url:
        done = subprocess.run(
            [sys.executable, "-W", "error", str(FILE)],
            env={**os.environ, "URL": url},
            capture_output=True,
            text=True,
            timeout=30,
        )
    assert done.returncode == 0, done.stderr
    dice, bid = done.stdout.splitlines()
    assert dice.startswith("My dice: [")
    assert bid.startswith("I bid: {'seat': ")


def test_it_needs_nothing_but_cryptography() -> None:
    tree = ast.parse(FILE.read_text("utf-8"))
    names = [each.names[0].name for each in ast.walk(tree) if isinstance(each, ast.Import)]
    names += [each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    foreign = {name.split(".")[0] for name in names} - sys.stdlib_module_names
    assert foreign == {"cryptography"}
