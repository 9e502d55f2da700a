"""C-3, C-4, CC-3, CC-6, CC-10: floors, early closing, and what the host may do."""

from __future__ import annotations

import pytest

from chalicelib.kernel import room as rooms
from chalicelib.kernel.errors import IllegalAction, NotHost, StaleDecision, TooEarly

from .table import Table


def all_ready_at_second_2() -> Table:
    table = Table(4)
    table.wait(2_000)
    for seat in table.seats:
        table.ready(seat)
    assert table.phase == "study"
    return table


def studied_until(table: Table) -> int:
    """The study's length in milliseconds, once the encode phase is open."""
    assert table.phase == "encode"
    assert table.room.match is not None
    return table.room.match.opened_at - table.room.created_at


@pytest.mark.parametrize("second", [2_001, 5_000, 7_999])
def test_a_study_that_all_have_finished_waits_for_its_floor(second: int) -> None:
    """CC-3: confirming is possible at once, but the phase never ends before 8 s."""
    table = all_ready_at_second_2()
    table.wait(second - 2_000)
    assert table.phase == "study"
    assert table.match()["answered"] == table.match()["expected"] == 4


@pytest.mark.parametrize("late_by", [0, 1, 700, 30_000])
def test_a_poll_gets_there_first(late_by: int) -> None:
    """CC-3: the phase ended at second 8, however late somebody looks."""
    table = all_ready_at_second_2()
    table.wait(6_000 + late_by)
    assert studied_until(table) == 8_000


def test_the_beat_gets_there_first() -> None:
    table = all_ready_at_second_2()
    wake_at = rooms.wake_at(table.room, table.games)
    assert wake_at == table.room.created_at + 8_000
    table.wait_for_next()
    assert studied_until(table) == 8_000


@pytest.mark.parametrize("late_by", [0, 1, 700])
def test_an_action_gets_there_first(late_by: int) -> None:
    """It settles the room before it is looked at, so it meets the encode phase."""
    table = all_ready_at_second_2()
    table.now += 6_000 + late_by
    with pytest.raises(StaleDecision):
        table.act(table.at(0), {"type": "ready"}, 1)
    assert studied_until(table) == 8_000
    table.signal(0)


def test_before_the_floor_even_an_action_does_not_close_the_study() -> None:
    table = all_ready_at_second_2()
    table.wait(5_999)
    table.act(table.at(0), {"type": "entropy", "value": "x"})
    assert table.phase == "study"
    table.wait(1)
    assert studied_until(table) == 8_000


def test_after_the_floor_the_last_to_confirm_closes_the_study() -> None:
    """C-4: at once, at second 11."""
    table = Table(4)
    for seat in (0, 1, 2):
        table.ready(seat)
    table.wait(11_000)
    table.ready(3)
    assert studied_until(table) == 11_000


def test_a_study_nobody_confirms_lasts_20_seconds() -> None:
    table = Table(4)
    table.wait(19_999)
    assert table.phase == "study"
    table.wait(1)
    assert studied_until(table) == 20_000


def test_the_study_cannot_be_continued() -> None:
    """C-3: the host shortens a phase only where the rule says so."""
    for phase in ("study", "encode", "ballot"):
        table = Table(4).until(phase)
        table.wait(15_000)
        with pytest.raises(IllegalAction, match="cannot-continue"):
            table.proceed()


@pytest.mark.parametrize(
    ("phase", "floor"),
    [
        pytest.param("council", 60_000, id="CC-6 the host may end the council from 60 s"),
        pytest.param("reveal", 6_000, id="CC-10 the host may continue the reveal from 6 s"),
    ],
)
def test_the_host_waits_for_the_floor(phase: str, floor: int) -> None:
    table = Table(4).until(phase)
    table.wait(floor - 1_000)
    with pytest.raises(TooEarly) as refusal:
        table.proceed()
    assert refusal.value.retry_after_ms == 1_000
    table.wait(999)
    with pytest.raises(TooEarly) as refusal:
        table.proceed()
    assert refusal.value.retry_after_ms == 1
    table.wait(1)
    with pytest.raises(NotHost):
        table.act(1, {"type": "continue"}, table.room.decision)
    assert table.phase == phase
    table.proceed()
    assert table.phase == ("ballot" if phase == "council" else "study")
    assert table.opened_at == table.now


@pytest.mark.parametrize(
    ("players", "seconds"),
    [(4, 120), (5, 125), (8, 140), (12, 160)],
)
def test_a_council_that_nobody_ends(players: int, seconds: int) -> None:
    """CC-6: its full time, and it asks nobody."""
    table = Table(players).until("council")
    table.wait(seconds * 1_000 - 1)
    assert table.phase == "council"
    table.wait(1)
    assert table.phase == "ballot"


def test_the_council_goes_by_players_dealt_in_this_round() -> None:
    """CC-6: leavers of this round count, those of an earlier one do not."""
    table = Table(8).until("encode")
    table.leave(7)
    table.until("council")
    assert table.match()["due_at"] - table.match()["opened_at"] == 140_000
    table.until_round(2)
    table.until("council")
    assert table.match()["due_at"] - table.match()["opened_at"] == 135_000


@pytest.mark.parametrize("phase", ["encode", "ballot"])
def test_signals_and_ballots_close_with_the_last(phase: str) -> None:
    """C-4: at once, and by the clock if one is missing."""
    table = Table(4).until("encode")
    if phase == "ballot":
        table.all_signal().until("ballot")
    table.wait(3_000)
    for seat in table.seats:
        assert table.phase == phase
        if phase == "encode":
            table.signal(seat)
        else:
            table.ballot(seat, "T", "a")
    assert table.phase == ("council" if phase == "encode" else "reveal")
    assert table.opened_at == table.now


@pytest.mark.parametrize(("phase", "seconds"), [("encode", 45), ("ballot", 35)])
def test_in_time_is_before_the_clock_runs_out(phase: str, seconds: int) -> None:
    """C-2: the last millisecond is in time, the next is not."""
    table = Table(4).until(phase)
    table.wait(seconds * 1_000 - 1)

    def answer(seat: int) -> None:
        if phase == "encode":
            table.signal(seat)
        else:
            table.play(seat, "ballot", place="p0")

    answer(0)
    decision = table.room.decision
    table.now += 1
    with pytest.raises(StaleDecision):
        table.act(table.at(1), {"type": "ballot", "place": "p0"}, decision)


def test_a_whole_match_takes_at_most_so_long() -> None:
    """Four rounds of twelve, nobody doing anything: 20 + 45 + 160 + 35 + 18 s each."""
    table = Table(12).until("over")
    assert table.opened_at - table.room.created_at == 4 * 278_000
