"""Whole matches in this process, by a clock that is moved: polling clients that do as they are
told, and what all of it takes (docs/cost.md)."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, NamedTuple

from chalicelib.adapters.telemetry import Telemetry
from chalicelib.games import GAMES
from chalicelib.kernel import store
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.model import SECOND, Instant
from chalicelib.kernel.room import Room
from chalicelib.kernel.view import poll_after_ms
from chalicelib.ports import Device
from infra.aws.metered import Bill, MeteredPlayers, MeteredRooms, reads, size
from tests.fakes import FakeChance, FakeClock, FakePush
from tests.world import Person, Reply, World

KINDS: Final = ("create", "join", "start", "action", "refused", "poll 200", "poll 304", "fire")
WHOLE: Final = 50
"""So many polls that find nothing new go through the whole app; the others are known by then."""
PUSH_TAKES_MS: Final = 1_000
LOG_EVENT_BYTES: Final = 26
"""What CloudWatch adds to every line."""
UNITS_TOLD: Final = len(', "read_units": 1.0, "write_units": 5.0')
"""In lines of requests that reached the tables; the stores in memory tell no units."""
REPLY_BYTES: Final = 250
"""Status line and the headers that Lambda adds."""


@dataclass
class Kind:
    """All requests of one kind in a match."""

    count: int = 0
    bill: Bill = field(default_factory=Bill)
    pushes: int = 0
    log_bytes: int = 0
    sent_bytes: int = 0
    wakes: int = 0
    """Beats woken."""
    handler_ms: list[float] = field(default_factory=list)
    """Processor time of this process, the stores in memory included."""

    @property
    def median_ms(self) -> float:
        return median(self.handler_ms) if self.handler_ms else 0.0


@dataclass
class Played:
    """One match, from the room's creation to the last client's having seen the end."""

    game: str
    players: int
    pushed: bool
    seconds: float = 0.0
    """From start to end."""
    kinds: dict[str, Kind] = field(default_factory=lambda: {kind: Kind() for kind in KINDS})
    room_bytes: int = 0
    """The item at its largest."""

    @property
    def requests(self) -> int:
        return sum(each.count for name, each in self.kinds.items() if name != "fire")

    @property
    def polls(self) -> int:
        return self.kinds["poll 200"].count + self.kinds["poll 304"].count


class Context(NamedTuple):
    """What Lambda hands over beside an event."""

    aws_request_id: str = "a" * 36


class Machine(World):
    """The app as on Lambda: it tells what it does, and how long it takes."""

    took_ms = 0.0
    """Of the last request."""

    def tell(self, telemetry: Telemetry) -> None:
        self._app.telemetry = telemetry

    def handle(self, event: Mapping[str, Any]) -> Reply:
        began = time.process_time()
        answer = self._app(dict(event), Context())
        self.took_ms = (time.process_time() - began) * SECOND
        return Reply(answer["statusCode"], answer["headers"], answer["body"])


class Phones(FakePush):
    """Phones that wake whoever owns them."""

    def __init__(self, *, configured: bool) -> None:
        super().__init__(configured=configured)
        self.woken: set[str] = set()

    def send(self, endpoint: str, platform: str, message: Mapping[str, str]) -> bool:
        self.woken.add(endpoint)
        return super().send(endpoint, platform, message)


@dataclass
class Client:
    """Polls when told to, or woken; thinks, then answers."""

    person: Person
    etag: str | None = None
    view: Any = None
    polls_at: Instant = 0
    acts_at: Instant | None = None
    handled: int = -1
    version: int = -1
    """Of the room, as last seen."""


class Sitting:
    """A table at `game` from its first request to its last. `thinking` is how long a person thinks,
    in seconds from and to. Bids and votes are a bot's, but for one bid in `doubts` that is called a
    lie out of hand: bots alone bid ten times a round, people half as often."""

    def __init__(
        self,
        game: str,
        players: int,
        *,
        pushed: bool,
        thinking: tuple[float, float],
        doubts: int = 0,
    ) -> None:
        self.played = Played(game, players, pushed)
        self.bill = Bill()
        self.clock = FakeClock()
        self.phones = Phones(configured=pushed)
        self.rooms = MeteredRooms(self.bill)
        accounts = MeteredPlayers(self.bill)
        self.world = Machine(
            rooms=self.rooms,
            players=accounts,
            clock=self.clock,
            push=self.phones,
            chance=FakeChance(f"{game}/{players}"),
        )
        self.draws = Draws(bytes(32)).fork(game, players)
        self.thinking = thinking
        self.doubts = doubts
        names = [f"Jugador{number}" for number in range(1, players + 1)]
        self.clients = [Client(self.world.person(name)) for name in names]
        if pushed:
            for each in self.clients:
                phone = Device("phone", "fcm", each.person.id)
                accounts.put_device(each.person.id, phone)
        self.log = io.StringIO()
        self.code = ""
        self.loaded: Room | None = None

    def play(self) -> Played:
        """The room is made, everybody comes in and plays the match to its end."""
        with self._told():
            self._sit()
            began = self.clock.at
            while any(not self._over(each) for each in self.clients):
                self._next()
            match = self._room().match
            assert match is not None
            self.played.seconds = (match.opened_at - began) / SECOND
        return self.played

    # --- what happens ----------------------------------------------------------------------------

    def _sit(self) -> None:
        host = self.clients[0]
        body = {"game": self.played.game, "visibility": "private", "name": host.person.name}
        reply = self._sent("create", host, "POST", "/v1/rooms", body)
        self.code = str(reply.body["room"]["code"])
        self._seen(host, reply)
        waiting = [*self.clients[1:]]
        while waiting:
            comes_at = self.clock.at + 5 * SECOND  # somebody comes every five seconds
            self._until(comes_at)
            client = waiting.pop(0)
            self._act(client, "join", {"type": "join", "name": client.person.name})
        self._until(self.clock.at + 5 * SECOND)
        self._act(host, "start", {"type": "start", "match": 1})

    def _until(self, at: Instant) -> None:
        """Those who are here poll until then."""
        while any(each.view and each.polls_at < at for each in self.clients):
            self._next()
        self._to(at)

    def _next(self) -> None:
        """Whatever comes next happens: a deadline, somebody's answer or a poll."""
        here = [each for each in self.clients if each.view]
        client = min(here, key=lambda each: min(each.polls_at, each.acts_at or each.polls_at))
        acts = client.acts_at is not None and client.acts_at <= client.polls_at
        at = client.acts_at if acts and client.acts_at is not None else client.polls_at
        wake_at = self.rooms.items[self.code].wake_at
        if wake_at is not None and wake_at <= at:
            self._to(wake_at)
            self._fire()
        elif acts:
            self._to(at)
            self._answer(client)
        else:
            self._to(at)
            self._poll(client)

    def _fire(self) -> None:
        """As the beat does."""
        with self._metered("fire"):
            self.world.service.notify(self.world.service.fire(self.code))
        self._wake()

    def _poll(self, client: Client) -> None:
        room, kind = self._room(), self.played.kinds["poll 304"]
        me = room.member(client.person.id)
        assert me is not None
        wait = poll_after_ms(room, GAMES, me, self.clock.at, pushed=me.pushed)
        if client.version == room.version and kind.count >= WHOLE:
            kind.count += 1
            kind.bill.read(reads(size(self.rooms.item(self.rooms.items[self.code]))))
            kind.sent_bytes += kind.sent_bytes // (kind.count - 1)
            client.polls_at = self.clock.at + wait
            return
        path = f"/v1/rooms/{self.code}"
        reply = self._sent("poll", client, "GET", path, etag=client.etag)
        if reply.status == 304:
            assert int(reply.headers["Poll-After-Ms"]) == wait
            client.polls_at = self.clock.at + wait
        else:
            self._seen(client, reply)

    def _answer(self, client: Client) -> None:
        client.acts_at = None
        match = client.view["match"]
        if match["your_move"]:
            room = self._room()
            assert room.match is not None
            game = GAMES[room.match.game]
            seen = game.view(room.match.state, client.view["you"]["seat"])
            if room.decision != match["decision"]:
                return  # it is too late, and the client will see so
            seat = client.view["you"]["seat"]
            draws = self.draws.fork(match["decision"], seat)
            action = game.bot(seen, match["phase"], seat, draws).model_dump(mode="json")
            if self.doubts and match["public"].get("bids"):
                hasty = draws.below(self.doubts, "doubt") == 0
                action = {"type": "challenge"} if hasty else action
        else:
            action = {"type": "continue"}
        self._act(client, "action", action, match["decision"])

    def _act(
        self, client: Client, kind: str, action: dict[str, Any], decision: int | None = None
    ) -> None:
        body: dict[str, Any] = {"action": action}
        if decision is not None:
            body["decision"] = decision
        reply = self._sent(kind, client, "POST", f"/v1/rooms/{self.code}/actions", body)
        self._seen(client, reply)

    def _seen(self, client: Client, reply: Reply) -> None:
        client.version = self.rooms.items[self.code].version
        client.view = reply.view
        client.etag = reply.headers.get("ETag")
        client.polls_at = self.clock.at + client.view["poll_after_ms"]
        match = client.view["match"]
        if match is None or match["decision"] == client.handled:
            return
        client.acts_at = None  # what it was about to do is of the past
        hurries = match["floor_at"] is not None and client.view["you"]["host"]
        if match["your_move"] or (hurries and not match["expected"]):
            client.handled = match["decision"]
            least, most = (round(each * SECOND) for each in self.thinking)
            name = client.person.name
            think = least + self.draws.below(most - least + 1, name, match["decision"])
            client.acts_at = max(self.clock.at, match["floor_at"] or 0) + think

    def _wake(self) -> None:
        for client in self.clients:
            if client.person.id in self.phones.woken and client.view:
                client.polls_at = min(client.polls_at, self.clock.at + PUSH_TAKES_MS)
        self.phones.woken.clear()

    # --- what it takes ---------------------------------------------------------------------------

    def _sent(
        self,
        kind: str,
        client: Client,
        method: str,
        path: str,
        body: Any = None,
        etag: str | None = None,
    ) -> Reply:
        headers = {} if etag is None else {"If-None-Match": etag}
        with self._metered(kind) as metered:
            reply = client.person.send(method, path, body, headers=headers)
            metered.append(reply)
        self._wake()
        assert reply.status < 400 or reply.status == 409, reply.text
        return reply

    @contextmanager
    def _metered(self, kind: str) -> Iterator[list[Reply]]:
        replies: list[Reply] = []
        self.bill.__dict__.update(vars(Bill()))
        sent, wakes = len(self.phones.sent), len(self.world.beating.woken)
        self.log.seek(0)
        self.log.truncate()
        began = time.process_time()
        yield replies
        took = self.world.took_ms if replies else (time.process_time() - began) * SECOND
        sent_bytes = 0
        if replies:
            reply = replies[0]
            if kind == "poll":
                kind = f"poll {reply.status}"
            elif reply.status >= 400:
                kind = "refused"
            told = sum(len(name) + len(str(value)) + 4 for name, value in reply.headers.items())
            sent_bytes = REPLY_BYTES + told + len(reply.text.encode())
        into = self.played.kinds[kind]
        into.count += 1
        into.bill.add(self.bill)
        into.pushes += len(self.phones.sent) - sent
        into.wakes += len(self.world.beating.woken) - wakes
        into.sent_bytes += sent_bytes
        lines = self.log.getvalue().splitlines()
        into.log_bytes += sum(len(line.encode()) + LOG_EVENT_BYTES + UNITS_TOLD for line in lines)
        into.handler_ms.append(took)
        saved = self.rooms.items.get(self.code)
        if saved is not None:
            self.played.room_bytes = max(self.played.room_bytes, len(saved.doc.encode()))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Log lines are written as on Lambda."""
        log = logging.getLogger("sobremesa")
        telemetry = Telemetry("prod", self.log, lambda: 0.999)
        self.world.tell(telemetry)
        before = log.level, log.propagate
        log.addHandler(telemetry)
        log.setLevel(logging.INFO)
        log.propagate = False
        try:
            yield
        finally:
            log.removeHandler(telemetry)
            log.setLevel(before[0])
            log.propagate = before[1]

    def _room(self) -> Room:
        saved = self.rooms.items[self.code]
        if self.loaded is None or self.loaded.version != saved.version:
            self.loaded = store.load(saved.doc, GAMES)
        return self.loaded

    def _over(self, client: Client) -> bool:
        match = client.view["match"]
        return match is not None and match["outcome"] is not None

    def _to(self, at: Instant) -> None:
        if at > self.clock.at:
            self.clock.wait((at - self.clock.at) / SECOND)


def main() -> None:
    """Counts of one match, for whoever looks into the model."""
    for pushed in (False, True):
        played = Sitting("liars-dice", 6, pushed=pushed, thinking=(6, 16), doubts=5).play()
        shown = {
            name: [each.count, vars(each.bill), each.pushes, round(each.median_ms, 2)]
            for name, each in played.kinds.items()
        }
        print(played.seconds, played.room_bytes, json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
