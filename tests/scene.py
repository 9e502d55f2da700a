"""A match in which everything rude can be tried, and what every refusal looks like."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from chalicelib import content
from chalicelib.http import STATUS
from infra.local.device import Device
from tests.world import AUTHORITY, DiceRoom, Reply, World, fresh_key

EXPOSED = {"ETag", "Idempotency-Replayed", "Retry-After", "Server-Now", "Poll-After-Ms"}


class Scene:
    """A match of three at which exact is off. Oto observes; Kit was kicked; Sol is a stranger.
    Elsewhere the host sits alone in a locked lobby."""

    def __init__(self, *, standing_bid: bool = True) -> None:
        self.world = World()
        self.room = DiceRoom(self.world, 3, {"exact": False})
        kit, oto = self.world.person("Kit"), self.world.person("Oto")
        kit.join(self.room.code)
        assert self.room.host.act(self.room.code, "kick", player_id=kit.id).status == 200
        self.room.start()
        oto.join(self.room.code)
        self.kit, self.oto, self.sol = kit, oto, self.world.person("Sol")
        self.elsewhere = self.room.host.create()
        self.room.host.act(self.elsewhere, "entropy", value="a", how={"key": "once"})
        self.room.host.act(self.elsewhere, "configure", locked=True)
        if standing_bid:
            self.room.bid(3, 4)
        self.decision = self.room.decision
        self.turn, self.waiting = self.room.on_turn, self.room.waiting
        self.code, self.path = self.room.code, self.room.path

    def body(self, kind: str = "bid", decision: Any = None, **fields: Any) -> dict[str, Any]:
        """An action that answers the open question, unless told another."""
        decision = self.decision if decision is None else decision
        return {"decision": decision, "action": {"type": kind, **fields}}

    def post(self, body: Any = None, **how: Any) -> Reply:
        """Whoever is on turn sends this to the room."""
        return self.turn.send("POST", self.path, body, **how)

    def bid(self, quantity: Any, face: Any) -> Reply:
        return self.post(self.body(quantity=quantity, face=face))

    @property
    def fair(self) -> bytes:
        """A body that would be accepted."""
        return json.dumps(self.body(quantity=4, face=4)).encode()

    def signed(self, **changes: Any) -> dict[str, str]:
        """Headers of a request that would be accepted, but for the changes to what is signed."""
        how: dict[str, Any] = {
            "method": "POST",
            "url": f"https://{AUTHORITY}{self.path}",
            "body": self.fair,
            "idempotency_key": fresh_key(),
            "created": self.world.clock.real() // 1_000,
        }
        device = changes.pop("device", self.turn.device)
        return dict(device.sign(**(how | changes)))

    def fair_with(self, **headers: str) -> Reply:
        """A request that would be accepted, but for these headers."""
        changed = {name.replace("_", "-").lower(): value for name, value in headers.items()}
        lower = {name.lower(): value for name, value in self.signed().items()}
        return self.world.send("POST", self.path, lower | changed, self.fair)

    def as_if(self, device: Device) -> Reply:
        return self.world.send("POST", self.path, self.signed(device=device), self.fair)


def check_problem(reply: Reply, locale: str | None = None) -> None:
    """It is a whole problem document: localised, never stored, readable by any web page."""
    document, headers = reply.body, reply.headers
    code = document["code"]
    assert headers["Content-Type"] == "application/problem+json"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert set(headers["Access-Control-Expose-Headers"].split(", ")) == EXPOSED
    assert headers["Server-Now"].isdigit()
    assert document["type"].endswith(f":{code}")
    assert document["status"] == reply.status == STATUS[code]
    assert document["detail"]
    assert isinstance(document["server_now"], int)
    allowed = {"type", "code", "title", "status", "detail", "server_now", "errors", "view"}
    assert document.keys() <= allowed | {"retry_after_ms"}
    locales = content.LOCALES if locale is None else (locale,)
    assert document["title"] in [title(code, each) for each in locales]
    if reply.status == 405:
        assert headers["Allow"].endswith("OPTIONS")
    for error in document.get("errors", []):
        assert error.keys() == {"pointer", "detail"}
    for trace in ("Traceback", 'File "', "chalicelib", "pydantic", "object at 0x"):
        assert trace not in reply.text


def title(code: str, locale: str) -> str:
    return str(content.of_service(locale)["words"]["problems"][code]["title"])


def called(device: Device, keyid: str) -> Device:
    """The device under another keyid."""
    other = copy.copy(device)
    other.keyid = keyid
    return other


def create(**changes: Any) -> Callable[[Scene], Reply]:
    """A stranger asks for a room, with these changes to a body that would do."""

    def send(scene: Scene) -> Reply:
        body = {"game": "liars-dice", "visibility": "private", "name": "Ana"} | changes
        return scene.sol.send("POST", "/v1/rooms", body)

    return send


def patch(body: Any) -> Callable[[Scene], Reply]:
    """A stranger changes the profile so."""
    return lambda scene: scene.sol.send("PATCH", "/v1/me", body)
