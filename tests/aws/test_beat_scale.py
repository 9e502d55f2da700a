"""The beat with many matches live and nobody polling (`python -m infra.aws.beat_load`)."""

from __future__ import annotations

import pytest

from infra.aws.beat_load import lateness, simulated

PER_BEAT = 100
"""Live matches for which one beat of 128 MB is enough, at the shortest turns (docs/aws.md)."""


@pytest.mark.parametrize("count", [1, PER_BEAT])
def test_95_of_100_deadlines_fire_within_a_second(count: int) -> None:
    """From the first match's start on, which wakes the beat."""
    found = simulated(count)
    assert found.deadlines == 6 * count
    assert found.of_95 <= 1_000, found
    assert found.within_a_second >= 0.95, found


def test_a_thousand_on_one_beat_are_late_and_none_is_forgotten() -> None:
    """What lanes are for."""
    found = simulated(1_000, memory_mb=1_769)
    assert found.deadlines == 6_000
    assert found.of_95 > 1_000


def test_a_thousand_in_twelve_lanes_fire_within_a_second() -> None:
    """More than ten: rooms fall into lanes by chance, so some lane has more than its share."""
    found = simulated(1_000, lanes=12)
    assert found.deadlines == 6_000
    assert found.of_95 <= 1_000, found


def test_lateness_counts_what_it_is_given() -> None:
    found = lateness([0] * 90 + [2_000] * 10)
    assert (found.deadlines, found.median, found.of_95, found.most) == (100, 0, 2_000, 2_000)
    assert found.within_a_second == pytest.approx(0.9)
