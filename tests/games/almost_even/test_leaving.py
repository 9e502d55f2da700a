"""AE-5, AE-7, AE-9, AE-10 and C-8: leaving, in every phase and role.

In the scripts players are numbered by turn order: player 0 is the first author.
"""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.kernel.errors import NotFound

from .table import WATCHER, Table

INTERRUPTED = {"phase": "over", "status": "interrupted", "winners": []}


@pytest.mark.parametrize(
    ("players", "script", "expected"),
    [
        # In the author phase.
        pytest.param(
            5,
            "leave0",
            {"phase": "vote", "reserve": True, "expected": 4, "author": 0, "rounds": 9},
            id="AE-7 the author leaves before publishing: the reserve, at once",
        ),
        pytest.param(
            5,
            "leave0 a1 b2 a3 b4",
            {"phase": "reveal", "distance": 0, "points": 0, "scores": [0] * 5, "omitted": []},
            id="AE-7 an author who left before publishing gets 0 for a perfect split",
        ),
        pytest.param(
            5,
            "leave3 publish",
            {"phase": "vote", "expected": 3, "rounds": 8},
            id="AE-1 AE-3 who left before the vote opened is not asked; both turns vanish",
        ),
        pytest.param(
            5,
            "leave3 publish a1 b2 wait",
            {"omitted": [4], "accepted": 2, "points": 500},
            id="AE-5 who left before the vote opened is no omission",
        ),
        pytest.param(
            5,
            "leave3 wait",
            {"phase": "vote", "reserve": True, "expected": 3},
            id="AE-7 a lapse goes on with those who are left",
        ),
        # In the vote.
        pytest.param(
            5,
            "publish a1 b2 leave3",
            {"phase": "vote", "answered": 2, "expected": 3},
            id="AE-5 a voter leaves without a vote: no longer expected",
        ),
        pytest.param(
            5,
            "publish a1 b2 leave3 wait",
            {"a": [1], "b": [2], "omitted": [4], "accepted": 2},
            id="AE-5 a voter who left without a vote is no omission",
        ),
        pytest.param(
            5,
            "publish a1 b2 a4 leave3",
            {"phase": "reveal", "accepted": 3, "omitted": [], "points": 500},
            id="C-4 the last voter awaited leaves: the vote closes at once",
        ),
        pytest.param(
            5,
            "publish a1 b2 leave2",
            {"phase": "vote", "answered": 2, "expected": 4},
            id="AE-5 a voter leaves after voting: the vote stands and stays expected",
        ),
        pytest.param(
            5,
            "publish a1 b2 leave2 a3 b4",
            {"phase": "reveal", "a": [1, 3], "b": [2, 4], "points": 500},
            id="AE-5 a leaver's accepted vote counts and is shown by name",
        ),
        pytest.param(
            5,
            "publish a1 leave0",
            {"phase": "vote", "reserve": False, "answered": 1, "expected": 4},
            id="AE-5 the author leaves during the vote: it goes on",
        ),
        pytest.param(
            5,
            "publish a1 leave0 b2 a3 b4",
            {"phase": "reveal", "points": 500, "scores": [500, 0, 0, 0, 0], "rounds": 9},
            id="AE-5 an author who left during the vote is scored normally",
        ),
        pytest.param(
            5,
            "wait a1 leave0 b2 a3 b4",
            {"phase": "reveal", "points": 0, "scores": [0] * 5},
            id="AE-7 an author who lapsed and then left still gets 0",
        ),
        # In the reveal.
        pytest.param(
            5,
            "publish a1 b2 a3 b4 leave0 leave2",
            {"phase": "reveal", "a": [1, 3], "b": [2, 4], "points": 500, "rounds": 7},
            id="AE-8 leaving in the reveal changes nothing of it",
        ),
        pytest.param(
            5,
            "publish a1 b2 a3 b4 leave1 wait",
            {"phase": "author", "author": 2, "round": 2, "rounds": 8, "expected": 1},
            id="AE-1 the next author left: the turn is dropped and the one after begins",
        ),
        # Turns that vanish.
        pytest.param(
            5,
            "round leave0",
            {"rounds": 9, "author": 1, "round": 2},
            id="AE-1 who has been author once loses the second turn alone",
        ),
        pytest.param(
            6,
            "round leave0",
            {"rounds": 6, "author": 1, "round": 2},
            id="AE-1 who has no turn to come takes none away",
        ),
        pytest.param(
            4,
            "round round round round leave0 wait",
            {"rounds": 8, "author": 0, "round": 5, "phase": "reveal", "reserve": True},
            id="AE-7 leaving on the second turn: it is played with the reserve",
        ),
        pytest.param(
            4,
            "round " * 7 + "leave3 wait wait",
            {"phase": "over", "status": "completed", "rounds": 8, "winners": [0, 1, 2]},
            id="AE-9 the last author leaves before publishing: the round is played all the same",
        ),
        pytest.param(
            4,
            "round " * 6 + "publish a0 b1 a3 leave3 wait",
            {"phase": "over", "status": "completed", "round": 7, "rounds": 7},
            id="AE-1 AE-9 the last turn vanishes: the match is complete without it",
        ),
        # Who wins.
        pytest.param(
            4,
            "round leave0 " + "wait wait wait " * 6,
            {
                "phase": "over",
                "status": "completed",
                "scores": [500, 0, 0, 0],
                "winners": [1, 2, 3],
            },
            id="AE-9 a leaver is ranked but cannot win: the best of the active do",
        ),
        pytest.param(
            4,
            "round round leave0 " + "wait wait wait " * 5,
            {"status": "completed", "scores": [500, 500, 0, 0], "winners": [1]},
            id="AE-9 a tie with a leaver is a win alone",
        ),
        # Under three.
        pytest.param(
            3,
            "leave1",
            {"phase": "author", "status": None, "rounds": 1, "expected": 1},
            id="AE-10 C-8 below three in the author phase: the round goes on, as the last",
        ),
        pytest.param(
            3,
            "leave1 publish b2",
            {"phase": "reveal", "accepted": 1, "points": 0, "status": None},
            id="AE-10 C-8 below three: the round is played out, its reveal included",
        ),
        pytest.param(
            3,
            "round leave2 publish a0 wait",
            INTERRUPTED | {"scores": [500, 0, 0], "round": 2},
            id="AE-10 C-8 after that reveal: interrupted, the score stands, nobody wins",
        ),
        pytest.param(
            3,
            "leave0",
            {"phase": "vote", "reserve": True, "expected": 2, "rounds": 1},
            id="AE-10 AE-7 the author's leaving puts the table below three: reserve and vote",
        ),
        pytest.param(
            3,
            "publish a1 leave1 b2 wait",
            INTERRUPTED | {"scores": [500, 0, 0], "round": 1},
            id="AE-10 AE-5 below three in the vote: it is scored, then interrupted",
        ),
        pytest.param(
            3,
            "publish a1 b2 leave1 wait",
            INTERRUPTED | {"scores": [500, 0, 0], "round": 1},
            id="AE-10 C-8 below three in a reveal that is not the last: interrupted after it",
        ),
        pytest.param(
            3,
            "round " * 5 + "publish a0 leave0 b1 wait",
            INTERRUPTED | {"scores": [1000, 1000, 1000], "round": 6},
            id="C-8 below three in the vote of the last round: interrupted",
        ),
        pytest.param(
            3,
            "round " * 5 + "publish a0 b1 leave0 wait",
            {"phase": "over", "status": "completed", "winners": [1, 2], "round": 6},
            id="C-8 below three in the last reveal: still completed",
        ),
        pytest.param(
            3,
            "round " * 4 + "publish a0 b2 leave2 wait",
            {"phase": "over", "status": "completed", "winners": [0, 1], "round": 5},
            id="C-8 AE-1 the reveal becomes the last as the leaver's own turn vanishes: completed",
        ),
        pytest.param(
            3,
            "round " * 3 + "publish a1 b2 leave1 leave2 wait",
            INTERRUPTED | {"round": 4},
            id="C-8 an interrupted match is not mended by one more leaver",
        ),
        pytest.param(
            3,
            "publish leave1 leave2",
            {"phase": "reveal", "accepted": 0, "omitted": [], "points": 0},
            id="C-4 AE-5 all voters left: the vote closes at once, the author is still there",
        ),
        # Nobody is left.
        pytest.param(
            3,
            "leave0 leave1 leave2",
            INTERRUPTED | {"round": 1, "revealed": False},
            id="C-8 nobody active is left in the vote: over at once",
        ),
        pytest.param(
            3,
            "leave1 leave2 leave0",
            INTERRUPTED | {"reserve": None},
            id="C-8 nobody active is left in the author phase: over at once",
        ),
        pytest.param(
            4,
            "publish a1 b2 leave1 leave2 leave0 leave3",
            INTERRUPTED | {"revealed": False, "a": None, "scores": [0] * 4},
            id="C-8 the last one leaves an open vote: over at once, unscored and not shown",
        ),
        pytest.param(
            3,
            "publish a1 b2 leave1 leave2 leave0",
            INTERRUPTED | {"revealed": True, "scores": [500, 0, 0]},
            id="C-8 nobody active is left in a reveal: over at once, the score stands",
        ),
        pytest.param(
            3,
            "round " * 5 + "publish a0 b1 leave1 leave2 leave0",
            {"phase": "over", "status": "completed", "winners": []},
            id="C-8 AE-9 all leave in the last reveal: completed, and no leaver wins",
        ),
    ],
)
def test_leaving(players: int, script: str, expected: dict[str, Any]) -> None:
    said = Table(players).start().play(script).summary()
    assert {key: said[key] for key in expected} == expected


def test_ae_9_a_leaver_keeps_position_1() -> None:
    table = Table(4).start().play("round leave0 " + "wait wait wait " * 6)
    rows = [
        (table.turns([row["seat"]])[0], row["position"], row["points"])
        for row in table.match()["outcome"]["standings"]
    ]
    assert rows[0] == (0, 1, 500)
    assert {position for _, position, _ in rows[1:]} == {2}


def test_an_open_vote_that_nobody_is_left_to_see_closed_is_not_kept() -> None:
    table = Table(3).start().play("publish a1 leave0 leave1 leave2")
    assert table.over
    assert table.state.votes == ""


@pytest.mark.parametrize(
    ("how", "still_here"),
    [
        pytest.param("leave", False, id="C-1 leaving the room"),
        pytest.param("observe", True, id="C-1 observing from now on"),
    ],
)
def test_ways_of_leaving(how: str, still_here: bool) -> None:
    table = Table(4).start().play("publish a1")
    leaver = table.who(2)
    table.act(leaver, {"type": how})
    assert table.summary()["expected"] == 2
    if still_here:
        assert table.match(leaver)["private"] is None
    else:
        with pytest.raises(NotFound):
            table.act(leaver, {"type": "observe"})


def test_c_1_being_removed_is_leaving() -> None:
    table = Table(4).start().play("publish")
    host = table.room.host
    assert host is not None
    removed = next(p for p in (1, 2, 3) if table.who(p) != host)
    table.act(host, {"type": "kick", "player_id": table.who(removed)})
    assert table.summary()["expected"] == 2


def test_c_1_who_comes_back_watches() -> None:
    table = Table(4).start().play("publish")
    leaver = table.who(1)
    table.leave(1)
    table.act(leaver, {"type": "join"})
    assert table.match(leaver)["private"] is None
    assert table.summary()["expected"] == 2
    table.play("a2 b3")
    assert table.match(leaver)["public"]["reveal"]["omitted"] == []


def test_c_8_an_abandoned_match_ends_by_itself() -> None:
    table = Table(12).start()
    table.settle(table.now + 12 * (40 + 25 + 18) * 1_000)
    assert table.summary() | {"status": "completed", "round": 12} == table.summary()
    assert table.match(WATCHER)["outcome"]["winners"] == list(range(12))
