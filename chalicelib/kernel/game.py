"""What a game must say. From `awaiting` alone the kernel derives turn checks, deadlines, early
closing, the host's `continue`, staleness and the end of a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from .draws import Draws
from .model import Model, Seat, Settings

S = TypeVar("S", bound=Model)
C = TypeVar("C", bound=Settings)

Catalogue = Mapping[str, Any]
"""The texts of one game in one language, by id."""


class Awaiting(NamedTuple):
    """The open question of a running match: who is asked, for how long, and who has answered."""

    decision: int
    """Which question is open; grows with every question and never repeats within a room."""
    phase: str
    seconds: int
    asked: frozenset[Seat] | None
    """None: a phase that asks nobody (a reveal, the council)."""
    answered: frozenset[Seat] = frozenset()
    floor_seconds: int = 0
    """It never closes before."""
    host_may_close: bool = False
    counted: bool = True
    """False: nobody may learn how many have answered (CC-5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup(Generic[C]):
    """What a match starts from. Seats are already in drawn order (C-7)."""

    seats: int
    settings: C
    decision: int
    """The first question's number; numbering goes on over matches and games of a room."""
    dealt: Mapping[str, tuple[int, ...]]
    """Deck name -> the content numbers dealt for this match (C-9)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a match ended."""

    status: Literal["completed", "interrupted"]
    standings: tuple[tuple[Seat, int | None, int | None], ...]
    """(seat, position, points), best first; a position or points where the game has them."""
    winners: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deck:
    """What a game needs dealt at the start of a match."""

    size: int
    """How many there are; numbers run from 0 and never change their meaning."""
    needed: int
    """How many one match may use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[S, C]):
    """One game as a record of pure functions. `S` is its state, `C` its settings."""

    key: str
    seats: range
    """How many can play: `range(2, 7)` is 2 to 6."""
    Settings: type[C]
    State: type[S]
    """Carries `decision: int`, the number of the open (or last) question."""
    actions: Mapping[str, type[Model]]
    """Wire type -> its model, which has `type: Literal[...]` and the action's own fields."""
    start: Callable[[Setup[C], Draws], S]
    act: Callable[[S, Seat, Any, Draws], S]
    """One checked answer to the open question. Raises `IllegalAction`. Leaves `asked` alone and
    adds the seat to `answered`, or closes the question itself and advances `decision`."""
    expire: Callable[[S, Draws], S]
    """The open question closes, lapsed or full (the state tells); `decision` must advance."""
    leave: Callable[[S, Seat], S]
    """The seat left or was removed, for good."""
    awaiting: Callable[[S], Awaiting | None]
    """None: the match is over."""
    view: Callable[[S, Seat | None], Model]
    """`public` and `private` of one viewer, by allow-list and as ids; None is an observer."""
    words: Callable[[Any, Catalogue], dict[str, Any]]
    """(view, catalogue) -> the JSON of `public` and `private`, ids turned into texts."""
    outcome: Callable[[S], Outcome]
    """Defined once `awaiting` is None."""
    bot: Callable[[Any, str, Seat, Draws], Model]
    """(view, phase, seat, draws) -> a legal action, from what that seat sees alone."""
    deals: Callable[[int], Mapping[str, Deck]]
    """Seats -> the decks to deal from."""
    used: Callable[[S], Mapping[str, int]]
    """Deck -> how many of the dealt count as dealt, from the first (AE-7: a reserve only when
    shown). Decks that it leaves out were used up."""
    ranked: Callable[[C], bool]
    """Do these settings make a ranked match (LD-11)?"""
    fairness: Callable[[S], tuple[tuple[int, bool], ...]] | None = None
    """(round, may its seed be shown?) of the rounds to list: liar's dice alone has these."""
    forgets: bool = False
    """The seed is ratcheted at every closing and never shown."""
