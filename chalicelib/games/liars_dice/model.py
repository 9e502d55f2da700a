"""The state of a match of liar's dice, what is done to it and what is seen of it."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from ...kernel.faults import Unfit
from ...kernel.model import Model, Seat, Settings

FACES = 6
DICE = 5
CHAMBERS = 6

REVEAL_SECONDS = 8
REVEAL_FLOOR_SECONDS = 3

Kind = Literal["challenge", "exact", "timeout", "void"]


class LiarsDiceSettings(Settings):
    """What a host may choose. A ranked table has the defaults (LD-11)."""

    ones_wild: bool = True
    exact: bool = True
    bullets: Annotated[int, Field(ge=1, le=5)] = 1
    turn_seconds: Annotated[int, Field(ge=15, le=180)] = 60
    ranked: bool = False

    @model_validator(mode="after")
    def _ranked_means_the_defaults(self) -> LiarsDiceSettings:
        if self.ranked and dict(self) | {"ranked": False} != dict(LiarsDiceSettings()):
            raise Unfit("LD-11.ranked-defaults")
        return self


class Bid(NamedTuple):
    """At least `quantity` dice show `face` (LD-2)."""

    seat: Seat
    quantity: int
    face: int


class Shot(NamedTuple):
    """One pull of the trigger: dead if and only if `chamber` <= `bullets` (LD-7)."""

    seat: Seat
    bullets: int
    chamber: int

    @property
    def dead(self) -> bool:
        return self.chamber <= self.bullets


class Reveal(Model):
    """How a round ended. Dice and count are computed from the state when shown."""

    kind: Kind
    caller: Seat | None = None
    shots: tuple[Shot, ...] = ()


class State(Model):
    """Per-seat values are tuples by seat. Dice are one string of five digits a seat."""

    settings: LiarsDiceSettings
    decision: int
    round: int
    turn: Seat
    """Whose turn it is, or who starts the next round while a reveal is shown."""
    dice: tuple[str, ...]
    """Of the current round; empty strings for the dead."""
    bids: tuple[Bid, ...] = ()
    bullets: tuple[int, ...]
    defeated: tuple[bool, ...]
    """Has had a first defeat, which loads more (LD-7)."""
    position: tuple[int, ...]
    """Final positions; 0 while alive and the match open."""
    reveal: Reveal | None = None
    last_void: bool = False
    """The round before this one was void: its seed stays hidden until the end."""
    over: bool = False

    @property
    def living(self) -> tuple[Seat, ...]:
        return tuple(seat for seat, place in enumerate(self.position) if place < 2)

    @property
    def dice_in_play(self) -> int:
        """Dice rolled this round: those of seats that have died since count (LD-9)."""
        return sum(map(len, self.dice))


class BidAction(Model):
    """Raise, or open the round (LD-2)."""

    type: Literal["bid"]
    quantity: int
    face: int


class Challenge(Model):
    """Say liar (LD-5)."""

    type: Literal["challenge"]


class Exact(Model):
    """Call the bid exact (LD-6)."""

    type: Literal["exact"]


class SeenPlayer(Model):
    seat: Seat
    alive: bool
    bullets: int
    dice: int
    position: int | None


class SeenBid(Model):
    seat: Seat
    quantity: int
    face: int


class SeenShot(Model):
    seat: Seat
    bullets: int
    chamber: int
    dead: bool


class SeenReveal(Model):
    kind: Kind
    caller: Seat | None
    bid: SeenBid | None
    face: int | None
    count: int | None
    dice: dict[str, tuple[int, ...]]
    shots: tuple[SeenShot, ...]


class Public(Model):
    """What everybody at the table sees, observers too."""

    round: int
    dice_in_play: int
    turn: Seat | None
    bids: tuple[SeenBid, ...]
    players: tuple[SeenPlayer, ...]
    reveal: SeenReveal | None
    ones_wild: bool
    exact: bool


class Private(Model):
    """What one seat sees besides."""

    dice: tuple[int, ...]


class View(Model):
    public: Public
    private: Private | None
