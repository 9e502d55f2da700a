"""How likely a bid is, given the dice one cannot see (LD-12)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb
from typing import Final

MOST_UNKNOWN: Final = 30


def chance(ones_wild: bool) -> Fraction:
    """That one unknown die counts as a named face: itself, or a wild one too."""
    return Fraction(1, 3) if ones_wild else Fraction(1, 6)


@cache
def exactly(unknown: int, ones_wild: bool) -> tuple[float, ...]:
    """P(exactly k of `unknown` dice count), for k = 0 to `unknown`."""
    p = chance(ones_wild)
    return tuple(
        float(comb(unknown, k) * p**k * (1 - p) ** (unknown - k)) for k in range(unknown + 1)
    )


@cache
def at_least(unknown: int, ones_wild: bool) -> tuple[float, ...]:
    """P(at least k of `unknown` dice count), for k = 1 to `unknown`."""
    row = exactly(unknown, ones_wild)
    return tuple(min(1.0, sum(row[k:])) for k in range(1, unknown + 1))
