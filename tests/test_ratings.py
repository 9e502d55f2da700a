"""TEMPLE: RULES' worked examples to two decimals, and what must hold for every match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.ratings import FLOOR, Rating, after

NEW, OLD = 0, 40


def deltas(ratings: list[Rating], positions: list[int]) -> list[float]:
    return [
        round(now.temple - was.temple, 2)
        for was, now in zip(ratings, after(ratings, positions), strict=True)
    ]


@pytest.mark.parametrize(
    ("ratings", "positions", "expected"),
    [
        pytest.param(
            [Rating(1500, OLD)] * 4,
            [1, 2, 3, 4],
            [8, 2.67, -2.67, -8],
            id="four at 1500 with K 16",
        ),
        pytest.param([Rating(1500, OLD)] * 4, [1, 2, 2, 4], [8, 0, 0, -8], id="a tie for second"),
        pytest.param(
            [Rating(1500, NEW)] * 6,
            [1, 2, 3, 4, 5, 5],
            [20, 12, 4, -4, -16, -16],
            id="six newcomers, the last two tied",
        ),
        pytest.param(
            [Rating(1400, OLD), Rating(1500, OLD), Rating(1500, NEW), Rating(1700, OLD)],
            [1, 2, 3, 4],
            [7.94, 0.64, -5.07, -8.58],
            id="a newcomer third leaves the established alone",
        ),
    ],
)
def test_worked_examples(
    ratings: list[Rating], positions: list[int], expected: list[float]
) -> None:
    assert deltas(ratings, positions) == expected


@pytest.mark.parametrize(
    ("matches", "k"), [(0, 40), (9, 40), (10, 24), (29, 24), (30, 16), (500, 16)]
)
def test_k_falls_with_experience(matches: int, k: int) -> None:
    assert Rating(1500, matches).k == k
    assert Rating(1500, matches).provisional == (matches < 10)


ANYBODY = st.builds(
    Rating, st.floats(FLOOR, 3_000).map(lambda temple: round(temple, 2)), st.integers(0, 60)
)


@given(
    st.lists(st.tuples(ANYBODY, st.integers(1, 6)), min_size=2, max_size=6),
)
def test_every_match(table: list[tuple[Rating, int]]) -> None:
    ratings, positions = [rating for rating, _ in table], [place for _, place in table]
    new = after(ratings, positions)
    for was, now in zip(ratings, new, strict=True):
        assert now.matches == was.matches + 1
        assert now.temple >= FLOOR
        assert round(now.temple, 2) == now.temple
        assert abs(now.temple - was.temple) <= was.k + 0.005
    established = all(not rating.provisional for rating in ratings)
    same_k = len({rating.k for rating in ratings}) == 1
    if (established or all(rating.provisional for rating in ratings)) and same_k:
        drift = sum(now.temple - was.temple for was, now in zip(ratings, new, strict=True))
        if min(now.temple for now in new) > FLOOR:
            assert abs(drift) < 0.05  # what some win others lose


def test_a_fresh_key_cannot_feed_an_established_player() -> None:
    old, fresh = Rating(1800, OLD), Rating(1500, 0)
    assert after([old, fresh], [1, 2])[0].temple == 1800
    assert after([old, fresh], [2, 1])[0].temple == 1800
    assert after([old, fresh], [2, 1])[1].temple > 1500
