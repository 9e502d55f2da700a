"""A table of crossed coordinates: one room, driven as the service drives it.

Candidates are told apart by what they are, not by their ids: T is the target, x, y and z are the
others in their order. So are signals: D and E are the distorted ones, a, b, c, ... the rest, each
in the order of the shuffle.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from chalicelib.content import LOCALES
from chalicelib.games.crossed_coordinates import GAME, atlas
from chalicelib.games.crossed_coordinates.model import PLACE_IDS, SIGNAL_IDS, TRAIT_IDS, State
from chalicelib.kernel import room as rooms
from chalicelib.kernel import store
from chalicelib.kernel.match import AnyGame
from chalicelib.kernel.model import SECOND, Instant, Seat
from chalicelib.kernel.receipts import Receipt, Request
from tests import table as tables

PHASES: Final = ("study", "encode", "council", "ballot", "reveal")
LATE: Final = 40
"""The person who comes when the match has begun."""
NOBODY: Final = "-"


class Table(tables.Table):
    """`Table(6)`: six have sat down and the first round is dealt; somebody watches."""

    def __init__(
        self, players: int = 4, *, master: str = "table", bots: int = 0, game: AnyGame = GAME
    ) -> None:
        self.master = master
        super().__init__(game.key, players, master=master, games={game.key: game})
        for _ in range(bots):
            self.act(0, {"type": "add-bot"})
        self.start()
        self.act(LATE, {"type": "join"})

    def start(self, fresh: str = "next") -> None:
        """A rematch too: what the last match came to has been archived."""
        if self.room.match is not None:
            self.room = rooms.archived(self.room)
        super().start(fresh)

    def request(self, number: int, body: bytes, key: str | None = None) -> Request:
        """With a key that nobody can guess, as clients make them."""
        self._keys += 1
        unknown = hashlib.sha256(f"{self.master}/{self._keys}".encode()).hexdigest()[:40]
        return Request(tables.person(number), self.now // SECOND, key or unknown, body)

    @property
    def state(self) -> State:
        assert self.room.match is not None
        state = self.room.match.state
        assert isinstance(state, State)
        return state

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays, by seat."""
        return self.state.active

    @property
    def opened_at(self) -> Instant:
        assert self.room.match is not None
        return self.room.match.opened_at

    @property
    def people(self) -> list[int]:
        """Everybody here, by number."""
        return [int(each.id[:2]) for each in self.room.members if each.human]

    # --- what people do ----------------------------------------------------------------------

    def until(self, phase: str) -> Table:
        """Clocks run out, with nobody doing anything, until that phase opens."""
        while self.phase != phase:
            self.wait_for_next()
        return self

    def until_round(self, number: int) -> Table:
        while self.state.round < number:
            self.wait_for_next()
        return self

    def ready(self, seat: Seat) -> Receipt:
        return self.play(seat, "ready")

    def signal(self, seat: Seat, first: int = 0, second: int = 1) -> Receipt:
        """Two of the own four traits, by their place in the hand."""
        hand = self.state.hands[seat]
        return self.play(seat, "signal", traits=[TRAIT_IDS[hand[each]] for each in (first, second)])

    def ballot(self, seat: Seat, place: str, signal: str = NOBODY) -> Receipt:
        """A ballot for T, x, y or z, and for D, E, a, b, ... or no signal."""
        fields = {"place": PLACE_IDS[self.candidates.index(place)]}
        if signal != NOBODY:
            fields["signal"] = SIGNAL_IDS[self.signals.index(signal)]
        return self.play(seat, "ballot", **fields)

    def all_signal(self, seats: Iterable[Seat] | None = None) -> Table:
        """The council is open, with the signals of `seats`, or of all."""
        self.until("encode")
        for seat in self.seats if seats is None else seats:
            self.signal(seat)
        return self.until("council")

    def vote(self, places: str, signals: str = "") -> Table:
        """The ballot has closed: one letter a player in each, `-` for nothing."""
        self.until("ballot")
        for seat, place, signal in zip(
            self.seats, places, signals or NOBODY * len(places), strict=True
        ):
            if place != NOBODY:
                self.ballot(seat, place, signal)
        return self.until("reveal")

    def proceed(self) -> None:
        """The host closes the open phase."""
        self.act(0, {"type": "continue"}, self.room.decision)

    def leave(self, seat: Seat) -> None:
        self.act(self.at(seat), {"type": "leave"})

    # --- what is there -----------------------------------------------------------------------

    @property
    def candidates(self) -> str:
        others = iter("xyz")
        return "".join(
            "T" if place == self.state.target else next(others) for place in range(len(PLACE_IDS))
        )

    @property
    def signals(self) -> str:
        distorted, others = iter("DE"), iter("abcdefghijkl")
        return "".join(
            next(distorted if number in self.state.distorted else others)
            for number in range(len(self.state.signals))
        )

    def is_distorted(self, seat: Seat) -> bool:
        """Does the seat hold a fragment of another candidate?"""
        fragment = atlas.quartet(self.state.quartet).fragments[self.state.fragments[seat]]
        return fragment.place != self.state.target

    def match(self, number: int = LATE, locale: str = "es") -> dict[str, Any]:
        shown: dict[str, Any] = self.view(number, locale)["match"]
        return shown

    def private(self, seat: Seat) -> Any:
        return self.match(self.at(seat))["private"]

    @property
    def public(self) -> dict[str, Any]:
        shown: dict[str, Any] = self.match()["public"]
        return shown

    def everything_for(self, number: int) -> bytes:
        """All that an answer to this person is made of: views, tags and hints come from it."""
        views = [self.view(number, locale) for locale in LOCALES]
        return json.dumps([views, self.poll_after_ms(number)]).encode()

    def shared_with(self, number: int) -> dict[str, Any]:
        """What this person sees without what is their own affair."""
        shown = self.view(number)
        for own in ("private", "your_move", "you_answered"):
            del shown["match"][own]
        return shown

    @property
    def stored(self) -> str:
        return store.dump(self.room)
