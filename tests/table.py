"""A table that tests sit at: one room, a clock that is moved, people with names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chalicelib import content
from chalicelib.games import GAMES
from chalicelib.kernel import actions, store
from chalicelib.kernel import room as rooms
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.match import AnyGame, Games, awaiting
from chalicelib.kernel.model import Instant, Model, Seat
from chalicelib.kernel.receipts import Receipt, Request
from chalicelib.kernel.room import Member, Room
from chalicelib.kernel.view import poll_after_ms, view

BEGIN: Instant = 1_800_000_000_000
CODE = "CDEFGH"
LONG_NAME = "Maximiliano{}"
"""Twelve letters with its number."""


def seed(text: str = "table") -> bytes:
    """Some 32 bytes."""
    return Draws(bytes(32)).seed(text)


def person(number: int) -> str:
    """A player id as long as real ones."""
    return f"{number:02}" + "abcdefghijklmnopqrstuvwxyz"[:24]


def say(locale: str = "es") -> Any:
    """Words of `locale` for the kernel's views."""

    def in_words(game: AnyGame, seen: Model) -> dict[str, Any]:
        return game.words(seen, content.of_game(game.key, locale))

    return in_words


class Table:
    """`Table("liars-dice", 4)`: person(0) hosts, three have joined, nobody has started."""

    def __init__(
        self,
        game: str,
        players: int,
        settings: Mapping[str, Any] | None = None,
        *,
        master: str = "table",
        games: Games = GAMES,
    ) -> None:
        self.games = games
        self.now = BEGIN
        self._keys = 0
        self.room = actions.create(
            code=CODE,
            game=game,
            settings=actions.checked_settings(games, game, settings or {}),
            visibility="private",
            name="Ana",
            entropy="",
            locale="es",
            request=self.request(0, b""),
            seed=seed(master),
            now=self.now,
        )
        for number in range(1, players):
            self.act(number, {"type": "join", "name": LONG_NAME.format(number)})

    def request(self, number: int, body: bytes, key: str | None = None) -> Request:
        self._keys += 1
        return Request(person(number), self.now // 1_000, key or f"key-{self._keys}", body)

    def act(
        self,
        number: int,
        action: Mapping[str, Any],
        decision: int | None = None,
        *,
        key: str | None = None,
        fresh: str = "next",
    ) -> Receipt:
        """person(`number`) sends `action` now. A refusal leaves the settled room."""
        self.settle()
        body: dict[str, Any] = {"action": dict(action)}
        if decision is not None:
            body["decision"] = decision
        request = self.request(number, json.dumps(body).encode(), key)
        context = actions.Context(
            self.games, request, self.now, seed(fresh), actions.Guest(f"Visita{number}", "es")
        )
        self.room = rooms.touched(self.room, request.player, self.now)
        accepted = actions.act(self.room, context, body)
        self.room = self.archived(accepted.room)
        return accepted.receipt

    def start(self, fresh: str = "next") -> None:
        self.act(0, {"type": "start", "match": self.room.match_number + 1}, fresh=fresh)

    def play(self, seat: Seat, kind: str, **fields: Any) -> Receipt:
        """The person at `seat` answers the open question."""
        return self.act(self.at(seat), {"type": kind, **fields}, self.room.decision)

    def at(self, seat: Seat) -> int:
        """Who sits there."""
        return next(int(each.id[:2]) for each in self.room.members if each.playing_seat == seat)

    def seat(self, number: int) -> Seat:
        """Where person(`number`) sits."""
        seat = self.member(number).playing_seat
        assert seat is not None
        return seat

    def member(self, number: int) -> Member:
        member = self.room.member(person(number))
        assert member is not None
        return member

    def wait(self, milliseconds: int) -> None:
        """The clock moves; what falls due happens."""
        self.now += milliseconds
        self.settle()

    def wait_for_next(self) -> None:
        """Up to the next step that time brings."""
        wake_at = rooms.wake_at(self.room, self.games)
        assert wake_at is not None
        self.now = max(self.now, wake_at)
        self.settle()

    def settle(self) -> None:
        self.room = self.archived(rooms.settle(self.room, self.games, self.now))

    def archived(self, room: Room) -> Room:
        """As the service does with a finished match, whose result is kept elsewhere."""
        return rooms.archived(room) if rooms.awaits_archive(room, self.games) else room

    @property
    def status(self) -> str:
        return rooms.status(self.room, self.games)

    @property
    def game(self) -> AnyGame:
        return rooms.game_of(self.room, self.games)

    @property
    def state(self) -> Any:
        assert self.room.match is not None
        return self.room.match.state

    @property
    def phase(self) -> str:
        assert self.room.match is not None
        question = awaiting(self.game, self.room.match)
        return "over" if question is None else question.phase

    def with_state(self, **changes: Any) -> None:
        """The match's state, changed by hand."""
        assert self.room.match is not None
        match = self.room.match.evolve(state=self.state.evolve(**changes))
        self.room = self.room.evolve(match=match)

    def view(self, number: int, locale: str = "es") -> dict[str, Any]:
        return view(self.room, self.games, self.member(number), say(locale))

    def poll_after_ms(self, number: int) -> int:
        return poll_after_ms(self.room, self.games, self.member(number), self.now, pushed=False)

    @property
    def bytes_stored(self) -> int:
        """The room item: its document and the attributes beside it."""
        return len(store.dump(self.room).encode()) + 120


def stored(room: Room, games: Games = GAMES) -> Room:
    """The room after a trip through the store."""
    return store.load(store.dump(room), games)
