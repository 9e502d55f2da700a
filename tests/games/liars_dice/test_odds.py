"""LD-12: the odds that RULES prints, and that they are odds."""

from __future__ import annotations

import pytest

from chalicelib.games.liars_dice.odds import at_least, exactly


@pytest.mark.parametrize(
    ("unknown", "wild", "percent"),
    [
        pytest.param(5, True, [86.8, 53.9, 21.0, 4.5, 0.4], id="LD-12 five dice, ones wild"),
        pytest.param(5, False, [59.8, 19.6, 3.5, 0.3, 0.0], id="LD-12 five dice, ones plain"),
        pytest.param(
            25,
            True,
            [100, 99.9, 99.6, 98.5, 95.4, 88.8, 77.8, 63.0, 46.2, 30.4],
            id="LD-12 twenty-five dice, ones wild",
        ),
    ],
)
def test_rules_odds(unknown: int, wild: bool, percent: list[float]) -> None:
    row = [round(100 * p, 1) for p in at_least(unknown, wild)]
    assert row[: len(percent)] == percent


@pytest.mark.parametrize("wild", [True, False])
@pytest.mark.parametrize("unknown", [0, 1, 5, 29, 30])
def test_they_are_probabilities(unknown: int, wild: bool) -> None:
    assert len(exactly(unknown, wild)) == unknown + 1
    assert sum(exactly(unknown, wild)) == pytest.approx(1)
    row = at_least(unknown, wild)
    assert len(row) == unknown
    assert list(row) == sorted(row, reverse=True)
    assert all(0 <= p <= 1 for p in row)


def test_ld_12_survival_after_each_defeat_with_one_bullet() -> None:
    alive, row = 1.0, []
    for bullets in range(1, 7):
        alive *= 1 - bullets / 6
        row.append(round(100 * alive, 1))
    assert row == [83.3, 55.6, 27.8, 9.3, 1.5, 0.0]
