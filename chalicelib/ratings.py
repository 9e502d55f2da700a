"""TEMPLE: pairwise Elo over final positions (RULES, "TEMPLE").

Own code, since the one candidate library rates a third place above tied winners by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

START: Final = 1500.0
FLOOR: Final = 100.0
NEWCOMER: Final = 10
"""Ranked matches after which a rating counts, and joins the ladder."""
SEASONED: Final = 30
SCALE: Final = 400.0
PAIR_LIMIT: Final = 5
"""Rated two-player matches of the same two a day."""


class Rating(NamedTuple):
    """A player's TEMPLE and the ranked matches behind it."""

    temple: float = START
    matches: int = 0

    @property
    def provisional(self) -> bool:
        """Shown with "?"."""
        return self.matches < NEWCOMER

    @property
    def k(self) -> int:
        """How far one match can move it."""
        return 40 if self.matches < NEWCOMER else 24 if self.matches < SEASONED else 16


def after(ratings: Sequence[Rating], positions: Sequence[int]) -> tuple[Rating, ...]:
    """Everybody's rating after one ranked match, from the same moment on; `positions` are final
    and may be shared. To two decimals, never under 100."""
    return tuple(
        Rating(
            max(FLOOR, round(mine.temple + _delta(index, ratings, positions), 2)),
            mine.matches + 1,
        )
        for index, mine in enumerate(ratings)
    )


def _delta(index: int, ratings: Sequence[Rating], positions: Sequence[int]) -> float:
    mine = ratings[index]
    total = 0.0
    for other, theirs in enumerate(ratings):
        if other == index or (theirs.provisional and not mine.provisional):
            continue  # a newcomer leaves an established rating alone; the divisor stays
        score = (positions[index] < positions[other]) + (positions[index] == positions[other]) / 2
        total += score - 1 / (1 + 10 ** ((theirs.temple - mine.temple) / SCALE))
    return mine.k / (len(ratings) - 1) * total
