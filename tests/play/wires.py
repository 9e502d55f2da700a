"""Ways to the real app that lose things, and somebody who reads what the client says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Queue
from typing import Any, ClassVar, Literal, NamedTuple

from infra.local import client
from infra.local.play.home import Home
from infra.local.play.offers import offers
from infra.local.play.session import Session
from infra.local.play.text import Section
from infra.local.play.wire import Clock, NoAnswer
from infra.local.play.words import Words
from tests.world import Reply, World

URL = "https://api.example.test"
Fault = Literal["request-lost", "answer-lost"] | tuple[int, dict[str, Any]]


class Sent(NamedTuple):
    """A POST as it went out."""

    path: str
    key: str | None
    raw: bytes | None
    created: int | None


class WorldWire:
    """Reaches the app of a world; the next POSTs meet the faults in their order."""

    def __init__(self, world: World, home: Home, locale: str = "en") -> None:
        self.device = home.device()
        self.posts: list[Sent] = []
        self.polls: list[tuple[str | None, int]] = []
        """Of every read of a room, the ETag sent and the status that came back."""
        self.faults: list[Fault] = []
        self.watch: Callable[[Sent], None] = lambda _: None
        """Sees every POST at the moment it goes out."""
        self._world = world
        self._locale = locale

    def call(
        self,
        method: str,
        path: str,
        raw: bytes | None = None,
        *,
        created: int | None = None,
        key: str | None = None,
        etag: str | None = None,
    ) -> client.Reply:
        fault = self.faults.pop(0) if self.faults and method == "POST" else None
        if method == "POST":
            self.posts.append(Sent(path, key, raw, created))
            self.watch(self.posts[-1])
        if fault == "request-lost":
            raise NoAnswer("lost on the way")
        if isinstance(fault, tuple):
            return client.Reply(fault[0], fault[1], {})
        headers = {} if etag is None else {"If-None-Match": etag}
        if created is None:
            reply = self._world.send(method, path, {"Accept-Language": self._locale})
        else:
            how: Any = {"raw": raw, "key": key, "created": created, "headers": headers}
            reply = self._world.signed(self.device, method, path, locale=self._locale, **how)
        if method == "GET" and path.startswith("/v1/rooms/"):
            self.polls.append((etag, reply.status))
        if fault == "answer-lost":
            raise NoAnswer("lost on the way back")
        return _as_over_http(reply)


def _as_over_http(reply: Reply) -> client.Reply:
    body = json.loads(reply.text) if reply.text else None
    return client.Reply(reply.status, body, reply.headers)


class Ear:
    """Everything that was shown or said, line by line."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, sections: Sequence[Section], status: str) -> None:
        for each in sections:
            self.lines += [each.title, *each.lines]
        self.lines += [f"[{status}]"] if status else []

    def say(self, text: str) -> None:
        self.lines.append(f"- {text}")

    def heard(self) -> str:
        """What is new since the last time."""
        text = "\n".join(self.lines)
        self.lines.clear()
        return text


class Seat:
    """A client over a folder, as it is after it was started."""

    opened: ClassVar[list[Seat]] = []

    def __init__(
        self, world: World, folder: Path, *faults: Fault, locale: str = "en", began: bool = True
    ) -> None:
        self.folder = folder
        self.home = Home(folder)
        self.opened.append(self)
        self.wire = WorldWire(world, self.home, locale)
        self.wire.faults = list(faults)
        self.ear = Ear()
        listed = world.send("GET", "/v1/games", {"Accept-Language": locale})
        offered = offers(listed.body["items"])
        words = Words(locale)
        self.session = Session(URL, self.wire, Clock(), self.home, offered, words, self.ear)
        if began:
            self.session.begin()

    def killed(self) -> None:
        """Nothing is handed over: what the next one knows is on the disk."""
        self.home.close()

    def type(self, *lines: str) -> str:
        """What is heard while these are typed."""
        self.ear.heard()
        for line in lines:
            self.session.typed(line)
        return self.ear.heard()

    def poll(self) -> str:
        """What is heard at the next poll, whenever that is due."""
        self.ear.heard()
        self.session.poll()
        return self.ear.heard()

    def run(self, *lines: str) -> str:
        """What is heard while the loop takes these and ends."""
        queue: Queue[str | None] = Queue()
        for line in (*lines, None):
            queue.put(line)
        self.session.run(queue)
        return self.ear.heard()

    @property
    def code(self) -> str:
        return str(self.kept["code"])

    @property
    def kept(self) -> Any:
        """What is on the disk."""
        (path,) = self.folder.glob("https*.json")
        return json.loads(path.read_text("utf-8"))
