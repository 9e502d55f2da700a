"""docs/client-guide.md says nothing that is not so: its worked request is computed again, and its
snippets run."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chalicelib import content
from chalicelib.adapters.push import payload
from chalicelib.http import STATUS
from infra.local.child import serving
from infra.local.client import Client
from infra.local.device import Device
from tests.test_markdown import fences

ROOT: Final = Path(__file__).parents[1]
CLIENTS: Final = ROOT / "docs/clients"
GUIDE: Final = (ROOT / "docs/client-guide.md").read_text("utf-8")
VECTORS: Final[Any] = json.loads((ROOT / "tests/vectors/signing.json").read_text("utf-8"))
BID: Final[Any] = VECTORS["requests"][0]


def block(kind: str, number: int = 0) -> str:
    """The fenced text of this kind, as a reader of the page sees it."""
    found = [each.content for each in fences(GUIDE) if each.info == kind]
    return found[number].removesuffix("\n")


def test_the_worked_request_is_right_to_the_byte() -> None:
    secret = VECTORS["private_keys"]["ed25519"]
    assert secret in GUIDE
    key = Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(secret + "="))
    device = Device(key=key)
    body = block("json").encode()
    headers = device.sign("POST", BID["url"], body, BID["idempotency_key"], created=BID["created"])
    assert block("http") == "\n".join(f"{name}: {value}" for name, value in headers.items())
    base = block("text")
    assert base == "\n".join(BID["signature_base"])
    signature = base64.b64encode(device.signature(base.encode())).decode()
    assert headers["Signature"] == f"sig1=:{signature}:"
    assert f"`{device.player_id}`" in GUIDE


@pytest.mark.parametrize(
    ("kind", "name"), [("bash", "join.sh"), ("python", "signing.py"), ("ts", "signing.ts")]
)
def test_its_snippets_are_the_files_that_run(kind: str, name: str) -> None:
    assert block(kind) == (CLIENTS / name).read_text("utf-8").rstrip()


def test_every_code_has_an_advice() -> None:
    table = GUIDE.partition("| code | what to do |")[2].partition("\n\n")[0]
    advised = re.findall(r"^\| (`.*?) \|", table, re.M)
    assert sorted(re.findall(r"`([a-z-]+)`", " ".join(advised))) == sorted(STATUS)


@pytest.mark.parametrize(("platform", "number"), [("apns", 1), ("fcm", 2)])
def test_push_looks_as_it_says(platform: str, number: int) -> None:
    words = content.push_text("your-move", "liars-dice", "en")
    message = {**words, "code": "KRTWMN", "decision": "7", "kind": "your-move"}
    (sent,) = payload(platform, message).values()
    assert json.loads(block("json", number)) == json.loads(sent)


def test_it_names_every_phase_that_is_drawn() -> None:
    document = json.loads((ROOT / "docs/openapi.json").read_text("utf-8"))
    for game in ("LiarsDice", "AlmostEven", "CrossedCoordinates"):
        schema = document["components"]["schemas"][f"{game}Match"]
        for phase in schema["properties"]["phase"]["enum"]:
            assert f"phase {phase}" in GUIDE


def test_a_shell_joins(tmp_path: Path) -> None:
    """With nothing but openssl and curl."""
    with serving() as url:
        ana = Client(url)
        made = ana.call("POST", "/v1/rooms", {"game": "liars-dice", "visibility": "private"})
        code = made.body["room"]["code"]
        done = subprocess.run(
            ["bash", str(CLIENTS / "join.sh"), url, code, "Bo"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 0, done.stderr
        members = json.loads(done.stdout)["view"]["room"]["members"]
        assert [each["name"] for each in members][1:] == ["Bo"]
