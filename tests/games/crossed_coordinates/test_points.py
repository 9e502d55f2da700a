"""CC-8 and CC-9, and the table that RULES gives by number of players."""

from __future__ import annotations

import pytest

from chalicelib.games.crossed_coordinates import rules
from chalicelib.games.crossed_coordinates.model import PLACE_IDS
from chalicelib.kernel.errors import IllegalAction

from .table import Table

# --- the table of RULES ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "majority", "noise", "alignment", "council", "distorted"),
    [
        pytest.param(4, 3, 2, 3, 120, 1, id="4 players"),
        pytest.param(5, 3, 2, 4, 125, 1, id="5 players"),
        pytest.param(6, 4, 2, 5, 130, 1, id="6 players"),
        pytest.param(7, 4, 3, 6, 135, 1, id="7 players"),
        pytest.param(8, 5, 3, 6, 140, 2, id="8 players"),
        pytest.param(9, 5, 3, 7, 145, 2, id="9 players"),
        pytest.param(10, 6, 4, 8, 150, 2, id="10 players"),
        pytest.param(11, 6, 4, 9, 155, 2, id="11 players"),
        pytest.param(12, 7, 4, 9, 160, 2, id="12 players"),
    ],
)
def test_the_table(
    n: int, majority: int, noise: int, alignment: int, council: int, distorted: int
) -> None:
    """CC-2, CC-6, CC-8 and CC-9 by number of players: the function's rows and a table's own."""
    assert rules.majority(n) == majority
    assert rules.noise_bar(n) == noise
    assert rules.alignment_bar(n) == alignment
    assert rules.council_seconds(n) == council
    assert rules.distorted(n) == distorted

    table = Table(n).all_signal()
    shown = table.match()
    assert shown["due_at"] - shown["opened_at"] == council * 1_000
    assert len(table.state.distorted) == distorted

    for votes in range(n + 1):  # for one place and one signal, which are right; the rest abstain
        points = rules.scored(n, (0, votes, 0, 0), (votes, 0), 1, (0,))
        assert (points.place == 200) == (votes >= majority)
        assert (points.noise == 100) == (votes >= noise)
        assert (points.alignment == 100) == (votes >= alignment)


# --- scoring -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "places", "signals", "points"),
    [
        pytest.param(6, "TTTTxy", "aabbcc", (200, 0, 0), id="CC-8 more than half and right: 200"),
        pytest.param(6, "xxxxTT", "aabbcc", (0, 0, 0), id="CC-8 more than half and wrong: 0"),
        pytest.param(6, "TTTxyz", "aabbcc", (0, 0, 0), id="CC-8 exactly N/2, alone in front: 0"),
        pytest.param(8, "TTTTTxyz", "aabbccdd", (200, 0, 0), id="CC-8 exactly N/2 + 1: 200"),
        pytest.param(5, "TTTxy", "aabbc", (200, 0, 0), id="CC-8 N odd, 3 of 5: 200"),
        pytest.param(6, "TTTxxx", "aabbcc", (0, 0, 0), id="CC-8 a tie for the lead: 0"),
        pytest.param(6, "TTT---", "aab---", (0, 0, 0), id="CC-8 N counts who did not vote"),
        pytest.param(6, "TTxxyz", "aabbcc", (0, 0, 0), id="CC-8 nobody has a majority: 0"),
        pytest.param(6, "xyzxyz", "DDabcd", (0, 100, 0), id="CC-8 the noise found, exactly at 2"),
        pytest.param(6, "xyzxyz", "Dabcde", (0, 0, 0), id="CC-8 the noise has 1 vote, 2 needed"),
        pytest.param(6, "xyzxyz", "DDaabc", (0, 0, 0), id="CC-8 the noise ties with another: 0"),
        pytest.param(6, "xyzxyz", "DDaaab", (0, 0, 0), id="CC-8 another signal leads: 0"),
        pytest.param(7, "xyzxyzx", "DDabcde", (0, 0, 0), id="CC-8 noise of 7 missed by one: 0"),
        pytest.param(7, "xyzxyzx", "DDDabcd", (0, 100, 0), id="CC-8 noise of 7 at 3: 100"),
        pytest.param(
            8, "xyzxyzxy", "DDDabcde", (0, 100, 0), id="CC-8 the first of two distorted leads"
        ),
        pytest.param(
            8, "xyzxyzxy", "EEEabcde", (0, 100, 0), id="CC-8 the second of two distorted leads"
        ),
        pytest.param(
            8, "xyzxyzxy", "DDDEEEab", (0, 0, 0), id="CC-8 two distorted tied at the top: 0"
        ),
        pytest.param(
            8, "xyzxyzxy", "DDDEEEEa", (0, 100, 0), id="CC-8 two distorted, one in front: 100"
        ),
        pytest.param(8, "xyzxyzxy", "DDEEabcd", (0, 0, 0), id="CC-8 distorted votes do not add up"),
        pytest.param(8, "TTTTTTxy", "aabbccdd", (200, 0, 100), id="CC-9 exactly ceil(3N/4) of 8"),
        pytest.param(8, "TTTTTxyz", "aabbccdd", (200, 0, 0), id="CC-9 ceil(3N/4) missed by one"),
        pytest.param(5, "TTTTx", "aabbc", (200, 0, 100), id="CC-9 exactly ceil(3N/4) of 5"),
        pytest.param(5, "TTTxy", "aabbc", (200, 0, 0), id="CC-9 3 of 5 are too few"),
        pytest.param(4, "TTTx", "DDab", (200, 100, 100), id="CC-9 at most 400 a round"),
        pytest.param(4, "----", "----", (0, 0, 0), id="CC-7 nobody votes: 0"),
        pytest.param(4, "T---", "D---", (0, 0, 0), id="CC-7 one ballot of four: 0"),
    ],
)
def test_points_of_a_round(
    players: int, places: str, signals: str, points: tuple[int, int, int]
) -> None:
    table = Table(players).all_signal().vote(places, signals)
    assert table.state.rounds == (points,)
    shown = table.public
    place, noise, alignment = points
    assert shown["score"] == sum(points)
    assert shown["rounds"] == [
        {"place": place, "noise": noise, "alignment": alignment, "points": sum(points)}
    ]
    assert shown["reveal"]["place_points"] == place
    assert shown["reveal"]["noise_points"] == noise
    assert shown["reveal"]["alignment_points"] == alignment
    for letter, wire in zip(table.candidates, PLACE_IDS, strict=True):
        assert shown["reveal"]["place_votes"][wire] == places.count(letter)
    for letter, wire in zip(table.signals, table.public["signals"], strict=True):
        assert shown["reveal"]["signal_votes"][wire["signal"]] == signals.count(letter)


def test_nobody_signals() -> None:
    """CC-7: the ballot is then a place only; place and alignment can still be earned."""
    table = Table(4).until("ballot")
    assert table.public["signals"] == []
    with pytest.raises(IllegalAction, match="place-only"):
        table.play(0, "ballot", place="p0", signal="s01")
    table.play(0, "ballot", place=PLACE_IDS[table.state.target], signal=None)
    table.vote("-TTT")
    assert table.state.rounds == ((200, 0, 100),)
    assert table.public["reveal"]["signal_votes"] == {}


@pytest.mark.parametrize(
    ("distorted", "points"),
    [
        pytest.param(True, 100, id="CC-8 the only signal is the distorted one"),
        pytest.param(False, 0, id="CC-8 the only signal is not, and the noise was never heard"),
    ],
)
def test_one_signal_only(distorted: bool, points: int) -> None:
    table = Table(5)
    sender = next(seat for seat in table.seats if table.is_distorted(seat) == distorted)
    table.all_signal([sender]).vote("xyzxy", ("D" if distorted else "a") * 5)
    assert table.state.rounds[-1].noise == points
    assert table.public["reveal"]["signal_votes"] == {"s01": 5}


def test_the_own_signal_may_be_chosen() -> None:
    """CC-7: nothing in a ballot's acceptance depends on whose the chosen signal is."""
    table = Table(4).all_signal().until("ballot")
    own = [table.state.signals.index(pair) for pair in table.state.sent]
    for seat in table.seats:
        table.play(seat, "ballot", place="p0", signal=f"s{own[seat] + 1:02}")
    assert table.phase == "reveal"
    assert table.state.signal_votes == tuple(own.count(signal) for signal in range(4))


@pytest.mark.parametrize(
    ("voters", "place_votes", "points"),
    [
        pytest.param(1, (1, 0, 0, 0), (200, 0, 100), id="CC-8 N = 1: its one vote will do"),
        pytest.param(2, (1, 1, 0, 0), (0, 0, 0), id="CC-8 N = 2: one of two is not"),
        pytest.param(2, (2, 0, 0, 0), (200, 0, 100), id="CC-8 N = 2: both are"),
        pytest.param(3, (2, 1, 0, 0), (200, 0, 0), id="CC-9 N = 3: two of three do not align"),
        pytest.param(3, (3, 0, 0, 0), (200, 0, 100), id="CC-9 N = 3: all three do"),
    ],
)
def test_below_the_minimum_the_bars_follow_n(
    voters: int, place_votes: tuple[int, ...], points: tuple[int, int, int]
) -> None:
    assert rules.scored(voters, place_votes, (), 0, ()) == points


def test_the_noise_never_falls_below_two_votes() -> None:
    """CC-8: max(2, ...), also for N = 1, 2 and 3."""
    assert [rules.noise_bar(n) for n in (1, 2, 3)] == [2, 2, 2]
