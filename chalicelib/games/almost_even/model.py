"""The state of a match of almost even, what is done to it and what is seen of it."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from ...kernel.model import Model, Seat, Settings

FEWEST = 3
"""Below so many active players a match ends once its round is played out (AE-10, C-8)."""
HAND = 2
"""Cards an author is dealt (AE-2)."""
TWISTS = 3
"""Dilemmas on a card."""

AUTHOR_SECONDS = 40
VOTE_SECONDS = 25
REVEAL_SECONDS = 18
REVEAL_FLOOR_SECONDS = 5

UNASKED = "."
"""In `State.votes`: the author, and whoever was or went away without a vote."""
OPEN = "?"
"""In `State.votes`: asked, and no vote accepted so far."""

Phase = Literal["author", "vote", "reveal"]
Side = Literal["a", "b"]


class AlmostEvenSettings(Settings):
    """There is nothing to choose."""


class Dilemma(NamedTuple):
    """What is voted on: a twist of a card, or a reserve, which has none (AE-7)."""

    number: int
    """In the deck of cards or in that of reserves."""
    twist: int | None

    @property
    def reserve(self) -> bool:
        return self.twist is None


class Tally(NamedTuple):
    """What a round's votes come to (AE-5, AE-6)."""

    accepted: int
    minority: int
    points: int

    @property
    def ideal(self) -> int:
        return self.accepted // 2

    @property
    def distance(self) -> int:
        return self.ideal - self.minority


class State(Model):
    """Per-seat values are tuples by seat, the votes one character a seat."""

    decision: int
    phase: Phase
    order: tuple[Seat, ...]
    """The authors of one lap; the same in every lap (AE-1)."""
    turn: int
    """Which of the laps' author turns is being played, from 0; leavers' turns are skipped."""
    round: int
    """Rounds begun."""
    points: tuple[int, ...]
    cards: tuple[int, ...]
    """Dealt to the match: `HAND` for each round, in order."""
    reserves: tuple[int, ...]
    """Dealt to the match; the next to be shown, if a turn lapses, is `reserves[shown]`."""
    shown: int = 0
    """Reserves shown so far."""
    dilemma: Dilemma | None = None
    votes: str = ""
    """By seat, in vote and reveal: a, b, `OPEN` or `UNASKED`. Gone when the next round begins."""
    gone: tuple[Seat, ...] = ()
    """Who left or was removed, in that order."""
    interrupted: bool = False
    """Fell below `FEWEST` with turns still to come: this round is the last and nobody wins."""
    over: bool = False

    @property
    def author(self) -> Seat:
        return self.order[self.turn % len(self.order)]

    @property
    def active(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in range(len(self.points)) if seat not in self.gone)

    def marked(self, marks: str) -> tuple[Seat, ...]:
        """Seats whose character in `votes` is one of `marks`."""
        return tuple(seat for seat, mark in enumerate(self.votes) if mark in marks)

    @property
    def hand(self) -> tuple[int, ...]:
        """The author's two cards of this round."""
        return self.cards[HAND * (self.round - 1) : HAND * self.round]


class Publish(Model):
    """The author's choice (AE-2): `card` is the id of one of the two dealt, `twist` 0, 1 or 2."""

    type: Literal["publish"]
    card: str
    twist: Annotated[int, Field(ge=0, lt=TWISTS)]


class Vote(Model):
    """For one side, once and for good (AE-3)."""

    type: Literal["vote"]
    side: Side


class SeenDilemma(Model):
    """As ids; the texts come from the viewer's catalogue."""

    content: str
    """The id of the card or, without a twist, of the reserve."""
    twist: int | None


class SeenScore(Model):
    seat: Seat
    points: int


class SeenReveal(Model):
    """How a round ended (AE-8). Seats, so by name."""

    a: tuple[Seat, ...]
    b: tuple[Seat, ...]
    omitted: tuple[Seat, ...]
    accepted: int
    minority: int
    ideal: int
    distance: int
    """`ideal` less `minority`, also where a side is empty and the points are 0 for that."""
    points: int
    reserve: bool


class Public(Model):
    """What everybody at the table sees, observers too."""

    round: int
    rounds: int
    """Played and still to be played; falls when a leaver's turns vanish (AE-1)."""
    author: Seat
    order: tuple[Seat, ...]
    dilemma: SeenDilemma | None
    scores: tuple[SeenScore, ...]
    reveal: SeenReveal | None


class Hand(Model):
    """What the author alone sees while choosing: two card ids."""

    cards: tuple[str, ...]


class Ballot(Model):
    """What any other seat sees besides, and the author once the dilemma is out: the own vote."""

    vote: Side | None


class View(Model):
    public: Public
    private: Hand | Ballot | None
