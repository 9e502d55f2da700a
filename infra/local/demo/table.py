"""Devices round one table: they sit down, poll politely and act when it is their move.

One thread asks for all of them in turn, so the story has one order. Every device waits as long as
the server's `poll_after_ms` says, by the server's clock, which may run faster than the wall's.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, TypeAlias

import requests

from ..client import Client, Reply
from ..device import Device

View: TypeAlias = dict[str, Any]
Action: TypeAlias = dict[str, Any]

RETRIES = 20
RETRY_SECONDS = 0.1
BRIEFLY_SECONDS = 0.002
"""A deadline is over by then."""


class Failed(Exception):  # names what happened
    """The demo cannot go on; the message says why."""


class Script(Protocol):
    """What a game's module knows: how to decide, what to tell and how to check the end."""

    game: str
    players: int
    hurried: frozenset[str]
    """Phases that the host closes at their floor."""
    entropies: bool
    """Do players add randomness of their own?"""

    def tempers(self) -> Sequence[str]:
        """How each plays, in words, in the order of joining; empty if there is nothing to say."""

    def lobby(self, view: View) -> None:
        """A device has seen the lobby before anybody's entropy."""

    def notice(self, who: int, view: View) -> None:
        """A device has seen this; what it makes of its own cards is its own affair. `who` counts
        devices from 0 in the order of joining: seats are drawn."""

    def decide(self, who: int, view: View, rng: Random) -> Action | None:
        """The answer of a device whose move it is, from its view; None lets the clock run out."""

    def tell(self, view: View) -> None:
        """The story goes on, from what is public in the view; nothing is told twice."""

    def end(self, view: View) -> bool:
        """The ending is told and checked: is all of it as published?"""


class Seated:
    """One device, its view and when it asks again."""

    def __init__(self, who: int, client: Client, name: str, kind: str) -> None:
        self.who = who
        self.client = client
        self.name = name
        self.kind = kind
        self.view: View = {}
        self.etag: str | None = None
        self.server_now = 0
        self.poll_after_ms = 0
        self.next_at = 0.0
        self.handled = 0
        """The last decision that this device has answered, or lets pass."""

    @property
    def match(self) -> dict[str, Any]:
        match: dict[str, Any] = self.view["match"]
        return match


class Pace(NamedTuple):
    """How fast the server's clock runs, and the instant by which the demo gives up."""

    speed: float
    until: float


def measured_speed(url: str) -> float:
    """How many times as fast as the wall's clock the server's runs."""
    client = Client(url)
    first, began = _server_now(client), time.monotonic()
    time.sleep(0.5)
    second, ended = _server_now(client), time.monotonic()
    return max(1.0, round((second - first) / 1_000 / (ended - began)))


def _server_now(client: Client) -> int:
    now = sent(client, "GET", "/v1/health").headers.get("Server-Now")
    if now is None:
        raise Failed(f"{client.url} is no Sobremesa server")
    return int(now)


def sent(client: Client, method: str, path: str, body: Any = None, **extra: Any) -> Reply:
    """The answer, also after a hiccup: the same request again, under the same key."""
    key = uuid.uuid4().hex if method == "POST" else None
    for _ in range(RETRIES):
        try:
            reply = client.call(method, path, body, key=key, **extra)
        except requests.ConnectionError:
            time.sleep(RETRY_SECONDS)
            continue
        except requests.RequestException as problem:
            raise Failed(f"{method} {path}: {problem}") from None
        if reply.status not in (429, 503):
            return reply
        time.sleep(RETRY_SECONDS)
    raise Failed(f"no answer from {client.url} ({method} {path})")


def accepted(reply: Reply) -> Any:
    """The body of an answer that must not be a refusal."""
    if reply.status >= 400:
        raise Failed(f"refused: {reply.status} {reply.body}")
    return reply.body


class Table:
    """The devices of one match against one server."""

    def __init__(
        self,
        url: str,
        script: Script,
        names: Sequence[str],
        locale: str,
        pace: Pace,
        *,
        through: str = "",
    ) -> None:
        self.script = script
        self.pace = pace
        self.code = ""
        kinds: Sequence[Any] = ("ed25519", "p256")
        self.devices = [
            Seated(
                i,
                Client(url, Device(kinds[i % 2]), locale, through=through),
                name,
                kinds[i % 2],
            )
            for i, name in enumerate(names)
        ]
        self.host = self.devices[0]
        self._random = {
            device.name: Random(f"{script.game}/{device.name}") for device in self.devices
        }

    # --- sitting down ----------------------------------------------------------------------------

    def open(self) -> None:
        """The host has a room."""
        body = {"game": self.script.game, "visibility": "private", "name": self.host.name}
        self._see(self.host, accepted(sent(self.host.client, "POST", "/v1/rooms", body)))
        self.code = self.host.view["room"]["code"]
        self.script.lobby(self.host.view)

    def sit(self) -> None:
        """The others have come in with the code."""
        for device in self.devices[1:]:
            self._do(device, {"type": "join", "name": device.name})
            self.script.lobby(device.view)

    def give(self, values: Mapping[str, str]) -> None:
        """Entropy by name, given only after its giver saw the commitment."""
        for device in self.devices:
            if device.name in values:
                self._do(device, {"type": "entropy", "value": values[device.name]})

    def configure(self, settings: Mapping[str, Any]) -> None:
        self._do(self.host, {"type": "configure", "settings": dict(settings)})

    def start(self) -> None:
        self._do(self.host, {"type": "start", "match": 1})

    # --- playing ---------------------------------------------------------------------------------

    def play(self) -> View:
        """The host's view of the match that is over."""
        while not self.host.view["match"] or self.host.match["outcome"] is None:
            device = min(self.devices, key=lambda each: each.next_at)
            time.sleep(max(0.0, device.next_at - time.monotonic()))
            if time.monotonic() > self.pace.until:
                raise Failed("this takes too long: the match was given up")
            self._poll(device)
            self._move(device)
            if device is self.host:
                self._hurry()
        return self.host.view

    def _poll(self, device: Seated) -> None:
        reply = sent(device.client, "GET", f"/v1/rooms/{self.code}", etag=device.etag)
        device.server_now = int(reply.headers["Server-Now"])
        device.poll_after_ms = int(reply.headers["Poll-After-Ms"])
        if reply.status != 304:
            device.etag = reply.headers["ETag"]
            self._see(device, accepted(reply))
        self._rest(device, device.poll_after_ms)

    def _rest(self, device: Seated, milliseconds: float) -> None:
        wait = milliseconds / 1_000 / self.pace.speed
        device.next_at = time.monotonic() + max(wait, BRIEFLY_SECONDS)

    def _move(self, device: Seated) -> None:
        """Its move, once: what came too late or out of turn is seen at the next poll."""
        match = device.match
        if not match["your_move"] or match["decision"] <= device.handled:
            return
        device.handled = match["decision"]
        action = self.script.decide(device.who, device.view, self._random[device.name])
        if action is not None:
            self._do(device, action, match["decision"])

    def _hurry(self) -> None:
        """The host closes a reveal or a council as soon as its floor is over."""
        match = self.host.match
        if match["phase"] not in self.script.hurried or match["floor_at"] is None:
            return
        wait = match["floor_at"] - self.host.server_now
        if wait <= 0:
            self._do(self.host, {"type": "continue"}, match["decision"])
        elif wait < self.host.poll_after_ms:
            self._rest(self.host, wait)

    def _do(self, device: Seated, action: Action, decision: int | None = None) -> None:
        body: dict[str, Any] = {"action": action}
        if decision is not None:
            body["decision"] = decision
        reply = sent(device.client, "POST", f"/v1/rooms/{self.code}/actions", body)
        late = reply.status == 409 and decision is not None
        view = reply.body.get("view") if late else accepted(reply)["view"]
        device.etag = None if late else reply.headers["ETag"]
        if view is not None:
            device.server_now = view["server_now"]
            self._see(device, view)
            self._rest(device, view["poll_after_ms"])

    def _see(self, device: Seated, view: View) -> None:
        device.view = view
        if view["match"] is not None:
            self.script.notice(device.who, view)
            self.script.tell(view)
