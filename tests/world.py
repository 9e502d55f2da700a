"""The real app over ports that a test holds in its hand, and people with phones."""

from __future__ import annotations

import base64
import json
import runpy
import threading
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chalicelib.kernel.model import SECOND
from chalicelib.ports import Beat, Chance, Clock, Players, Push, Rooms
from chalicelib.service import Service
from infra.local.device import Device
from tests.fakes import (
    FakeBeat,
    FakeChance,
    FakeClock,
    FakePush,
    MemoryPlayers,
    MemoryRooms,
)

APP: Final = Path(__file__).parents[1] / "app.py"
T = TypeVar("T")
AUTHORITY: Final = "api.example.test"

_keys = count(1)


def fresh_key() -> str:
    """An idempotency key that nobody has used."""
    return f"key-{next(_keys)}"


class Reply(NamedTuple):
    """An answer of the app."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """What a problem is called; of a success, its status."""
        return str(self.body["code"]) if self.status >= 400 else str(self.status)

    @property
    def view(self) -> Any:
        """The view, whether it comes alone, beside a receipt, or with a problem."""
        body = self.body
        return body.get("view", body)

    @property
    def etag(self) -> str:
        return self.headers["ETag"]


def event(
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    raw: bytes | None = None,
    *,
    authority: str | None = AUTHORITY,
) -> dict[str, Any]:
    """The request as a function URL or an HTTP API hands it over (payload format 2.0)."""
    path, _, query = path.partition("?")
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {name.lower(): value for name, value in (headers or {}).items()},
        "requestContext": {
            "domainName": authority,
            "http": {"method": method, "sourceIp": "192.0.2.7"},
            "requestId": "request",
            "stage": "$default",
        },
        "body": base64.b64encode(raw).decode() if raw else None,
        "isBase64Encoded": True,
    }


class World:
    """The real app, of its own, over ports that a test holds in its hand. Worlds that share
    `rooms` and `players` are several machines over one store."""

    def __init__(
        self,
        *,
        rooms: Rooms | None = None,
        players: Players | None = None,
        clock: Clock | None = None,
        chance: Chance | None = None,
        beating: Beat | None = None,
        push: Push | None = None,
        lanes: int = 1,
    ) -> None:
        self.service = Service(
            rooms=rooms or MemoryRooms(),
            players=players or MemoryPlayers(),
            clock=clock or FakeClock(),
            chance=chance or FakeChance(),
            beating=beating or FakeBeat(),
            push=push or FakePush(),
            lanes=lanes,
        )
        module = runpy.run_path(str(APP))
        self._app: Any = module["app"]
        self._app.service = lambda: self.service
        self._beat: Any = module["beat"]

    @property
    def rooms(self) -> MemoryRooms:
        assert isinstance(self.service.rooms, MemoryRooms)
        return self.service.rooms

    @property
    def players(self) -> MemoryPlayers:
        assert isinstance(self.service.players, MemoryPlayers)
        return self.service.players

    @property
    def clock(self) -> FakeClock:
        assert isinstance(self.service.clock, FakeClock)
        return self.service.clock

    @property
    def beating(self) -> FakeBeat:
        assert isinstance(self.service.beating, FakeBeat)
        return self.service.beating

    def handle(self, event: Mapping[str, Any]) -> Reply:
        """What the app says to a gateway's event."""
        answer = self._app(dict(event), None)
        assert not answer["multiValueHeaders"]
        return Reply(answer["statusCode"], answer["headers"], answer["body"])

    def beat(self, event: Mapping[str, Any]) -> int:
        """What the app's beat says to an event of EventBridge: how many rooms it fired."""
        return int(self._beat(dict(event), None))

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Reply:
        """What the app says to these bytes, signed or not."""
        return self.handle(event(method, path, headers, raw))

    def signed(
        self,
        device: Device,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        key: str | None = None,
        created: int | None = None,
        locale: str | None = "en",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """What the app says to a request of `device`; `raw` goes as it is, `body` as JSON."""
        if raw is None and body is not None:
            raw = json.dumps(body).encode()
        if key is None and method == "POST":
            key = fresh_key()
        if created is None:
            created = self.service.clock.real() // SECOND
        sent = device.sign(method, f"https://{AUTHORITY}{path}", raw, key, created=created)
        if locale is not None:
            sent["Accept-Language"] = locale
        return self.send(method, path, sent | dict(headers or {}), raw)

    def person(self, name: str) -> Person:
        return Person(self, name)

    def stored(self) -> tuple[Any, ...]:
        """Everything in the store, to be compared."""
        return (dict(self.rooms.items), dict(self.players.known), dict(self.players.made))

    def calls(self) -> list[str]:
        """The calls to the store, all of them."""
        return [*self.rooms.calls, *self.players.calls]


def device(name: str) -> Device:
    """The same key for the same name, so that seats are drawn alike in every run."""
    return Device(key=Ed25519PrivateKey.from_private_bytes(sha256(name.encode()).digest()))


class Person:
    """Somebody with a device, in a world."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.device = device(name)

    @property
    def id(self) -> str:
        return self.device.player_id

    def elsewhere(self, world: World) -> Person:
        """The same person, reaching another machine."""
        return Person(world, self.name)

    def send(self, method: str, path: str, body: Any = None, **how: Any) -> Reply:
        return self.world.signed(self.device, method, path, body, **how)

    def create(self, settings: Mapping[str, Any] | None = None, **how: Any) -> str:
        """A room of mine: its code."""
        body = {
            "game": "liars-dice",
            "settings": dict(settings or {}),
            "visibility": "private",
            "name": self.name,
        }
        reply = self.send("POST", "/v1/rooms", body, **how)
        assert reply.status == 201, reply.text
        return str(reply.body["room"]["code"])

    def act(
        self,
        code: str,
        kind: str,
        decision: int | None = None,
        *,
        how: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Reply:
        """What the app says to my action; `how` says how it is sent."""
        body: dict[str, Any] = {"action": {"type": kind, **fields}}
        if decision is not None:
            body["decision"] = decision
        return self.send("POST", f"/v1/rooms/{code}/actions", body, **(how or {}))

    def join(self, code: str) -> Reply:
        reply = self.act(code, "join", name=self.name)
        assert reply.status == 200, reply.text
        return reply

    def read(self, code: str, etag: str | None = None, **how: Any) -> Reply:
        headers = {} if etag is None else {"If-None-Match": etag}
        return self.send("GET", f"/v1/rooms/{code}", headers=headers, **how)

    def view(self, code: str) -> Any:
        reply = self.read(code)
        assert reply.status == 200, reply.text
        return reply.body


class DiceRoom:
    """A room at liar's dice: `host` and `guests`, in order of joining."""

    def __init__(
        self, world: World, players: int, settings: Mapping[str, Any] | None = None
    ) -> None:
        self.world = world
        self.host = world.person("Ana")
        self.guests = [world.person(f"Guest {number}") for number in range(1, players)]
        self.code = self.host.create(settings)
        for guest in self.guests:
            guest.join(self.code)

    @property
    def people(self) -> list[Person]:
        return [self.host, *self.guests]

    @property
    def path(self) -> str:
        return f"/v1/rooms/{self.code}/actions"

    def start(self) -> DiceRoom:
        reply = self.host.act(self.code, "start", match=self.match["number"] + 1)
        assert reply.status == 200, reply.text
        return self

    @property
    def match(self) -> Any:
        """The match as the host sees it; of number 0 before the first."""
        return self.host.view(self.code)["match"] or {"number": 0}

    @property
    def decision(self) -> int:
        return int(self.match["decision"])

    def at(self, seat: int) -> Person:
        members = self.host.view(self.code)["room"]["members"]
        sitting = next(each["player_id"] for each in members if each["seat"] == seat)
        return next(person for person in self.people if person.id == sitting)

    @property
    def on_turn(self) -> Person:
        return self.at(self.match["public"]["turn"])

    @property
    def waiting(self) -> Person:
        """Somebody whose turn it is not."""
        turn = self.on_turn
        return next(person for person in self.people if person is not turn)

    def bid(self, quantity: int, face: int) -> Reply:
        """Whoever is on turn bids."""
        reply = self.on_turn.act(self.code, "bid", self.decision, quantity=quantity, face=face)
        assert reply.status == 200, reply.text
        return reply


def room_doc(rooms: MemoryRooms, code: str) -> Any:
    """The room as it lies in the store."""
    return json.loads(rooms.items[code].doc)


def together(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What they say, all made at the same instant, each from a thread of its own."""
    barrier = threading.Barrier(len(calls))
    replies: dict[int, T] = {}

    def run(number: int) -> None:
        barrier.wait()
        replies[number] = calls[number]()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [replies[number] for number in range(len(calls))]
