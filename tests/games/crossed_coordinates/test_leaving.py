"""C-1, C-6, C-8, CC-8, CC-12: leaving, staying away, coming late."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.games.crossed_coordinates.model import ROUNDS
from chalicelib.games.crossed_coordinates.views import view
from chalicelib.kernel.errors import NotSeated

from .table import LATE, PHASES, Table


def outcome(table: Table) -> Any:
    return table.match()["outcome"]


# --- leaving -----------------------------------------------------------------------------------


def test_leaving_in_the_study() -> None:
    """C-1: the leaver is not expected; the fragment still counts as dealt (CC-12)."""
    table = Table(5)
    for seat in (0, 1, 2, 3):
        table.ready(seat)
    table.wait(9_000)
    table.leave(4)
    assert table.phase == "encode", "C-4 all who are left had confirmed, and the floor is over"
    table.all_signal()
    assert len(table.state.signals) == 4
    table.until("reveal")
    assert len(table.public["reveal"]["fragments"]) == 5


def test_leaving_in_the_study_before_its_floor() -> None:
    """CC-3: a leaver does not bring the phase below 8 s either."""
    table = Table(5)
    for seat in (0, 1, 2, 3):
        table.ready(seat)
    table.leave(4)
    assert table.phase == "study"
    assert (table.match()["answered"], table.match()["expected"]) == (4, 4)
    table.wait(7_999)
    assert table.phase == "study"
    table.wait(1)
    assert table.phase == "encode"


def test_whoever_had_confirmed_and_leaves_is_not_counted() -> None:
    table = Table(5)
    table.ready(0)
    table.ready(1)
    table.leave(0)
    assert (table.match()["answered"], table.match()["expected"]) == (1, 4)


@pytest.mark.parametrize("sent", [True, False])
def test_leaving_in_encode(sent: bool) -> None:
    """CC-12: an accepted signal stays, anonymous; without one there is none."""
    table = Table(5).until("encode")
    if sent:
        table.signal(4)
    table.leave(4)
    assert table.phase == "encode"
    table.all_signal((0, 1, 2, 3))
    assert len(table.state.signals) == 4 + sent


def test_the_last_who_has_not_signalled_leaves() -> None:
    """C-4: then all have."""
    table = Table(5).until("encode")
    for seat in (0, 1, 2, 3):
        table.signal(seat)
    table.leave(4)
    assert table.phase == "council"
    assert len(table.state.signals) == 4


def test_leaving_in_encode_does_not_tell_whether_a_signal_was_in() -> None:
    """CC-5: the others see one person fewer, the same in both cases, until the council."""
    seen = []
    for sent in (True, False):
        table = Table(6).until("encode")
        table.wait(1_000)
        if sent:
            table.signal(5)
        table.wait(1_000)
        table.leave(5)
        assert table.match()["expected"] == 5
        seen.append([table.everything_for(table.at(seat)) for seat in table.seats])
    assert seen[0] == seen[1]


def test_leaving_in_the_ballot_does_not_tell_whether_it_was_given() -> None:
    """CC-5, CC-7."""
    seen = []
    for cast in (True, False):
        table = Table(6).all_signal().until("ballot")
        if cast:
            table.ballot(5, "T", "D")
        table.leave(5)
        assert table.match()["expected"] == 5
        seen.append([table.everything_for(table.at(seat)) for seat in table.seats])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("phase", ["study", "encode", "council"])
def test_who_left_before_the_ballot_is_not_in_n(phase: str) -> None:
    """CC-8: of six dealt two have left, so N = 4: 3 votes are a majority and align."""
    table = Table(6).until(phase)
    table.leave(5)
    table.leave(4)
    table.until("ballot")
    assert table.state.voters == 4
    table.vote("TTTx")
    assert table.state.rounds == ((200, 0, 100),)


def test_who_leaves_during_the_ballot_stays_in_n() -> None:
    """CC-8: N is frozen at 6 when the ballot opens, so 3 votes are no majority."""
    table = Table(6).until("ballot")
    table.leave(5)
    table.leave(4)
    table.vote("TTTx")
    assert table.state.rounds == ((0, 0, 0),)


def test_a_ballot_accepted_from_somebody_who_then_leaves_stands() -> None:
    """CC-8: it is the fourth of six that makes the majority."""
    table = Table(6).all_signal().until("ballot")
    table.ballot(5, "T", "D")
    table.leave(5)
    table.vote("TTTx-", "Dabc-")
    assert table.state.rounds == ((200, 100, 0),)
    assert table.public["reveal"]["place_votes"][f"p{table.state.target}"] == 4


def test_a_published_signal_stays_when_its_author_leaves() -> None:
    """CC-12, in the council."""
    table = Table(5).all_signal()
    before = table.public["signals"]
    table.leave(4)
    assert table.public["signals"] == before
    table.vote("TTTx", "aaaa")
    assert table.public["signals"] == before
    assert len(table.public["reveal"]["fragments"]) == 5


def test_leaving_in_the_reveal() -> None:
    """CC-12: the next round is dealt to those who are left, the number of distorted by them."""
    table = Table(8).all_signal().until("reveal")
    reveal = table.public["reveal"]
    table.leave(7)
    assert table.public["reveal"] == reveal
    table.until_round(2)
    table.all_signal()
    assert (table.state.dealt, len(table.state.distorted)) == (7, 1)
    assert table.state.hands[7] == ()


def test_the_number_of_distorted_is_fixed_when_a_round_is_dealt() -> None:
    """CC-12: eight were dealt two distorted fragments; one leaves in the study."""
    table = Table(8)
    clean = [seat for seat in table.seats if not table.is_distorted(seat)]
    table.leave(clean[0])
    table.all_signal()
    assert len(table.state.distorted) == 2


# --- too few -----------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_under_four_the_round_is_played_out_and_the_match_interrupted(
    number: int, phase: str
) -> None:
    """CC-12, C-8: no round begins with three; the score stands, nobody wins."""
    table = Table(4).until_round(number).until(phase)
    table.leave(3)
    assert table.phase == phase
    table.until("reveal")
    assert len(table.state.rounds) == number
    table.wait_for_next()
    assert table.phase == "over"
    assert outcome(table) == {"status": "interrupted", "standings": [], "winners": []}


def test_the_score_of_an_interrupted_match_stands() -> None:
    table = Table(4).all_signal().vote("TTTT", "DDDD")
    table.leave(3)
    table.wait_for_next()
    assert (table.phase, table.public["score"]) == ("over", 400)
    assert outcome(table)["status"] == "interrupted"


@pytest.mark.parametrize("phase", PHASES)
def test_under_four_in_the_last_round(phase: str) -> None:
    """C-8: the round is played out and the match interrupted; in the last reveal it is complete."""
    table = Table(4).until_round(ROUNDS).until(phase)
    table.leave(3)
    table.until("over")
    assert len(table.state.rounds) == ROUNDS
    assert outcome(table)["status"] == ("completed" if phase == "reveal" else "interrupted")


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("number", [1, ROUNDS])
def test_with_nobody_left_it_is_over_at_once(number: int, phase: str) -> None:
    """C-8; in the last reveal all four rounds have been played, so it is completed."""
    table = Table(4).until_round(number)
    table.all_signal((0, 1)) if phase in ("council", "ballot", "reveal") else None
    table.until(phase)
    for seat in (0, 1, 2):
        table.leave(seat)
    assert table.phase == phase
    table.leave(3)
    assert table.phase == "over"
    completed = (number, phase) == (ROUNDS, "reveal")
    assert outcome(table)["status"] == ("completed" if completed else "interrupted")
    state = table.state
    assert (state.hands, state.fragments, state.sent, state.ballots) == ((), (), (), ())
    assert (table.public["reveal"] is not None) == (phase == "reveal")
    assert table.match()["private"] is None


def test_watching_is_leaving() -> None:
    """API: `observe` during a match gives the seat up."""
    table = Table(5)
    number = table.at(4)
    table.act(number, {"type": "observe"})
    assert table.state.left == (4,)
    assert table.match(number)["private"] is None


# --- coming back, coming late ------------------------------------------------------------------


def in_phase(phase: str) -> Table:
    """Everybody has done everything that the phases so far ask for, but seat 3 the open one."""
    table = Table(5)
    doing = {
        "study": lambda seat: table.ready(seat),
        "encode": lambda seat: table.signal(seat, 1, 3),
        "ballot": lambda seat: table.ballot(seat, "x", "a"),
    }
    for each in PHASES:
        table.until(each)
        for seat in table.seats if each in doing else ():
            if each != phase or seat != 3:
                doing[each](seat)
        if each == phase:
            break
    assert table.phase == phase
    return table


@pytest.mark.parametrize("phase", PHASES)
def test_coming_back(phase: str) -> None:
    """C-6: any device with the key gets the own fragment and receipts again, nothing else; being
    away, or asking to join again, is not leaving."""
    table = in_phase(phase)
    before = [table.private(seat) for seat in table.seats]
    public = table.public
    table.wait(2_000)
    table.act(table.at(2), {"type": "join"})
    assert [table.private(seat) for seat in table.seats] == before
    assert table.public == public
    if phase == "reveal":
        assert before == [None] * 5, "CC-10"
        return
    state = table.state
    for seat, private in enumerate(before):
        assert set(private) == {"fragment", "traits", "signal", "ballot"}
        assert [each["trait"] for each in private["traits"]] == [
            f"t{trait:02}" for trait in state.hands[seat]
        ]
        done = seat != 3
        sent = phase in ("council", "ballot") or (phase == "encode" and done)
        pair = sorted(private["traits"][each]["trait"] for each in (1, 3))
        assert private["signal"] == (pair if sent else None)
        assert (private["ballot"] is not None) == (phase == "ballot" and done)
        others = [each["fragment"] for each in before if each is not private]
        assert private["fragment"] not in others
        said = str(table.view(table.at(seat)))
        assert not any(text in said for text in others)


@pytest.mark.parametrize("phase", PHASES)
def test_who_comes_late_watches(phase: str) -> None:
    """C-1: nothing private, and no say in the match, for observers and late arrivals."""
    table = in_phase(phase)
    table.act(LATE + 1, {"type": "join"})
    table.act(LATE, {"type": "observe"})
    for number in (LATE, LATE + 1):
        shown = table.match(number)
        assert shown["private"] is None
        assert not shown["your_move"]
        for kind, fields in (
            ("ready", {}),
            ("signal", {"traits": ["t00", "t01"]}),
            ("ballot", {"place": "p0", "signal": "s01"}),
        ):
            with pytest.raises(NotSeated):
                table.act(number, {"type": kind, **fields}, table.room.decision)
    assert table.match(LATE)["public"] == table.match(table.at(0))["public"]


def test_whoever_left_and_comes_back_watches() -> None:
    """C-1, C-6: the seat is gone, and with it the fragment."""
    table = Table(5).until("encode")
    number = table.at(4)
    table.leave(4)
    table.act(number, {"type": "join"})
    assert table.match(number)["private"] is None
    assert view(table.state, 4).private is None, "not even by the seat's number"
    with pytest.raises(NotSeated):
        table.act(number, {"type": "signal", "traits": ["t00", "t01"]}, table.room.decision)
