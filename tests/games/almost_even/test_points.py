"""AE-6: the author's points, a row for every number of votes and every split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.games.almost_even.rules import author_points

from .table import Table

TABLE = {
    0: (0,),
    1: (0,),
    2: (0, 500),
    3: (0, 500),
    4: (0, 300, 500),
    5: (0, 300, 500),
    6: (0, 150, 300, 500),
    7: (0, 150, 300, 500),
    8: (0, 0, 150, 300, 500),
    9: (0, 0, 150, 300, 500),
    10: (0, 0, 0, 150, 300, 500),
    11: (0, 0, 0, 150, 300, 500),
}
"""Votes accepted -> points by M = 0, 1, 2, ..., word for word as in RULES."""


def rule(votes: int, minority: int) -> str:
    if votes < 2:
        return "AE-5 fewer than two votes"
    return "AE-5 an empty side" if minority == 0 else "AE-6"


ROWS = [
    pytest.param(
        votes,
        minority,
        points,
        id=f"{rule(votes, minority)}: {votes} votes, {minority} against {votes - minority}, "
        f"distance {votes // 2 - minority}: {points}",
    )
    for votes, row in TABLE.items()
    for minority, points in enumerate(row)
]


def test_every_split_has_its_row() -> None:
    assert {(row.values[0], row.values[1]) for row in ROWS} == {
        (votes, minority) for votes in range(12) for minority in range(votes // 2 + 1)
    }


@pytest.mark.parametrize("small", ["a", "b"])
@pytest.mark.parametrize(("votes", "minority", "points"), ROWS)
def test_points(votes: int, minority: int, points: int, small: str) -> None:
    table = Table(12).start().play("publish")
    large = "ab".replace(small, "")
    for number, player in enumerate(table.voters[:votes]):
        table.vote(player, small if number < minority else large)
    if votes < 11:
        table.wait()
    said = table.summary()
    assert said["phase"] == "reveal"
    assert (len(said[small]), len(said[large])) == (minority, votes - minority)
    assert len(said["omitted"]) == 11 - votes
    assert (said["accepted"], said["minority"], said["ideal"]) == (votes, minority, votes // 2)
    assert said["distance"] == votes // 2 - minority
    assert said["points"] == points
    assert said["scores"] == [points] + [0] * 11


@pytest.mark.parametrize(
    ("players", "votes"),
    [
        pytest.param(3, "a1 b2", id="AE-7 a lapsed author, one against one: 0"),
        pytest.param(4, "a1 b2 a3", id="AE-7 a lapsed author, one against two: 0"),
        pytest.param(5, "a1 b2 a3 b4", id="AE-7 a lapsed author, two against two: 0"),
    ],
)
def test_a_lapse_earns_nothing_for_a_perfect_split(players: int, votes: str) -> None:
    said = Table(players).start().play(f"wait {votes}").summary()
    assert (said["phase"], said["distance"], said["points"]) == ("reveal", 0, 0)
    assert said["scores"] == [0] * players


@given(st.integers(0, 11), st.integers(0, 11))
def test_more_even_is_never_worth_less(a: int, b: int) -> None:
    votes, minority = a + b, min(a, b)
    if minority < votes // 2:
        assert author_points(votes, minority) <= author_points(votes, minority + 1)
    assert (author_points(votes, minority) == 500) == (votes > 1 and abs(a - b) < 2)
