"""The state of a match of crossed coordinates, what is done to it and what is seen of it.

Places, traits and signals are numbers here and ids of one length on the wire, so that not even the
length of a request tells what was chosen.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from ...kernel.model import Model, Seat, Settings

ROUNDS: Final = 4
FEWEST: Final = 4
"""With fewer active players no round begins (CC-12)."""
MOST: Final = 12
PLACES: Final = 4
"""Candidates a round."""
TRAITS: Final = 19
"""Traits a quartet."""
HAND: Final = 4
"""Traits a fragment."""

STUDY_SECONDS: Final = 20
STUDY_FLOOR_SECONDS: Final = 8
ENCODE_SECONDS: Final = 45
COUNCIL_FLOOR_SECONDS: Final = 60
BALLOT_SECONDS: Final = 35
REVEAL_SECONDS: Final = 18
REVEAL_FLOOR_SECONDS: Final = 6

NOT_DEALT: Final = -1

PLACE_IDS: Final = tuple(f"p{place}" for place in range(PLACES))
TRAIT_IDS: Final = tuple(f"t{trait:02}" for trait in range(TRAITS))
SIGNAL_IDS: Final = tuple(f"s{number:02}" for number in range(1, MOST + 1))
"""By a signal's place in the shuffle, and by nothing else (CC-5)."""

Phase = Literal["study", "encode", "council", "ballot", "reveal", "over"]


class CrossedCoordinatesSettings(Settings):
    """There is nothing to choose."""


class Points(NamedTuple):
    """What a round brought the table (CC-8, CC-9)."""

    place: int
    noise: int
    alignment: int

    @property
    def total(self) -> int:
        return sum(self)


class State(Model):
    """Per-seat values are tuples by seat and exist only from the deal to the scoring: what is left
    then says nothing of anybody (CC-10)."""

    decision: int
    phase: Phase
    seats: int
    left: tuple[Seat, ...] = ()
    """Who left or was removed, by seat."""
    short: bool = False
    """Fell below `FEWEST` before the last reveal: this round is the last."""
    quartets: tuple[int, ...]
    """One for each round; those to come are secret."""
    round: int
    rounds: tuple[Points, ...] = ()
    """Of the rounds scored."""
    target: int

    fragments: tuple[int, ...] = ()
    """By seat: number in the quartet, or `NOT_DEALT`."""
    hands: tuple[tuple[int, ...], ...] = ()
    """By seat: the fragment's traits in the order dealt; empty for who was not dealt."""
    ready: tuple[Seat, ...] = ()
    """Who has confirmed the study, by seat."""
    sent: tuple[tuple[int, ...], ...] = ()
    """By seat, from encode on: the signal's two traits in ascending order, or empty."""
    voters: int = 0
    """N of CC-8, from the ballot's opening to its closing."""
    ballots: tuple[tuple[int, ...], ...] = ()
    """By seat, in the ballot: (place, signal), (place,) if there are no signals, or empty."""

    signals: tuple[tuple[int, ...], ...] = ()
    """Published pairs in the order of the shuffle, from the council to the end of the round."""
    distorted: tuple[int, ...] = ()
    """Which of `signals` come from another candidate; secret until the reveal."""
    shown: tuple[int, ...] = ()
    """In the reveal: the round's fragments by number."""
    place_votes: tuple[int, ...] = ()
    """In the reveal: votes by place."""
    signal_votes: tuple[int, ...] = ()
    """In the reveal: votes by signal."""

    @property
    def active(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in range(self.seats) if seat not in self.left)

    @property
    def dealt(self) -> int:
        """Players dealt in this round; known until it is scored."""
        return sum(fragment != NOT_DEALT for fragment in self.fragments)

    @property
    def quartet(self) -> int:
        return self.quartets[self.round - 1]

    @property
    def score(self) -> int:
        return sum(points.total for points in self.rounds)


class Ready(Model):
    """Has studied the fragment (CC-3)."""

    type: Literal["ready"]


class Signal(Model):
    """Two different of the own four traits, once and for good (CC-4)."""

    type: Literal["signal"]
    traits: Annotated[list[str], Field(min_length=2, max_length=2)]


class Ballot(Model):
    """One place, and one signal held to be distorted if there are any (CC-7)."""

    type: Literal["ballot"]
    place: str
    signal: str | None = None


class SeenSignal(Model):
    signal: str
    traits: tuple[str, ...]


class SeenPoints(Model):
    place: int
    noise: int
    alignment: int
    points: int


class SeenFragment(Model):
    fragment: int
    """Its number in the quartet; the text comes from the viewer's catalogue."""
    place: str


class SeenReveal(Model):
    """How a round ended, without anybody's name (CC-10)."""

    target: str
    fragments: tuple[SeenFragment, ...]
    distorted_signals: tuple[str, ...]
    place_votes: dict[str, int]
    signal_votes: dict[str, int]
    place_points: int
    noise_points: int
    alignment_points: int


class Public(Model):
    """What everybody at the table sees, observers too."""

    quartet: int
    """Its number in the atlas; not on the wire."""
    round: int
    signals: tuple[SeenSignal, ...]
    score: int
    rounds: tuple[SeenPoints, ...]
    reveal: SeenReveal | None


class SeenBallot(Model):
    place: str
    signal: str | None


class Private(Model):
    """What one seat sees besides, until the round is scored."""

    fragment: int
    """Its number in the quartet; the text comes from the viewer's catalogue."""
    traits: tuple[str, ...]
    """In the order dealt."""
    signal: tuple[str, ...] | None
    """The own receipt: the pair, never the id under which it was published."""
    ballot: SeenBallot | None


class View(Model):
    public: Public
    private: Private | None
