"""Casi por igual, rule by rule: a row for each, cited by its number in RULES.

In the scripts players are numbered by turn order: player 0 is the first author.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from chalicelib.games.almost_even.model import AlmostEvenSettings
from chalicelib.kernel.errors import (
    AlreadyAnswered,
    GameError,
    IllegalAction,
    InvalidAction,
    NotHost,
    NotSeated,
    NotYourTurn,
    TooEarly,
    TooFewPlayers,
)

from .table import WATCHER, Table

# --- AE-1: turns --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "rounds"),
    [
        pytest.param(3, 6, id="AE-1 three players: each is author twice, six rounds"),
        pytest.param(4, 8, id="AE-1 four players: each is author twice, eight rounds"),
        pytest.param(5, 10, id="AE-1 five players: each is author twice, ten rounds"),
        pytest.param(6, 6, id="AE-1 six players: each is author once, six rounds"),
        pytest.param(9, 9, id="AE-1 nine players: each is author once, nine rounds"),
        pytest.param(12, 12, id="AE-1 twelve players: each is author once, twelve rounds"),
    ],
)
def test_a_whole_match(players: int, rounds: int) -> None:
    table = Table(players).start()
    order = table.match()["public"]["order"]
    authors = []
    while not table.over:
        assert table.summary()["rounds"] == rounds
        assert table.match()["public"]["order"] == order
        authors.append(table.match()["public"]["author"])
        assert table.match()["public"]["round"] == len(authors)
        table.play("round")
    assert len(authors) == rounds
    assert sorted(order) == list(range(players))
    assert authors == (order * 2)[:rounds], "a lap ends before anyone repeats, in one same order"
    assert table.summary()["status"] == "completed"


def test_ae_1_the_turn_order_is_drawn() -> None:
    firsts = Counter(Table(4, number).start().state.order for number in range(100))
    assert len(firsts) > 15, "nearly all of the 24 orders turn up in 100 matches"


@pytest.mark.parametrize("players", [pytest.param(2, id="AE two are too few to begin")])
def test_too_few(players: int) -> None:
    with pytest.raises(TooFewPlayers):
        Table(players).start()


def test_there_is_nothing_to_set() -> None:
    assert AlmostEvenSettings().model_dump() == {}


# --- what may be done, and what not -------------------------------------------------------------


def publish(table: Table, **changes: Any) -> dict[str, Any]:
    return {"type": "publish", "card": table.hand()[0], "twist": 0} | changes


@pytest.mark.parametrize("card", [0, 1])
@pytest.mark.parametrize("twist", [0, 1, 2])
def test_ae_2_any_of_the_six_dilemmas_can_be_published(card: int, twist: int) -> None:
    table = Table(3).start()
    offered = table.match(table.who(0))["private"]["cards"][card]
    assert [each["twist"] for each in offered["twists"]] == [0, 1, 2]
    table.publish(card, twist)
    shown = table.match()["public"]["dilemma"]
    chosen = offered["twists"][twist]
    assert shown == {side: chosen[side] for side in ("prompt", "a", "b")} | {"reserve": False}


def test_ae_2_two_cards_with_three_complete_dilemmas_each() -> None:
    table = Table(3).start()
    cards = table.match(table.who(0))["private"]["cards"]
    assert len({card["card"] for card in cards}) == 2
    for card in cards:
        assert set(card) == {"card", "prompt", "twists"}
        assert [set(twist) for twist in card["twists"]] == [{"twist", "prompt", "a", "b"}] * 3
        assert len({(twist["a"], twist["b"]) for twist in card["twists"]}) == 3


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        pytest.param({"card": "ae-nothing"}, IllegalAction, id="AE-2 there is no such card"),
        pytest.param({"card": ""}, IllegalAction, id="AE-2 a card has a name"),
        pytest.param({"twist": 3}, InvalidAction, id="AE-2 a card has three twists"),
        pytest.param({"twist": -1}, InvalidAction, id="AE-2 twists count from 0"),
        pytest.param({"twist": True}, InvalidAction, id="AE-2 a twist is a number"),
        pytest.param({"twist": "0"}, InvalidAction, id="AE-2 a twist is no text"),
        pytest.param({"card": 7}, InvalidAction, id="AE-2 a card is called by its id"),
        pytest.param({"a": "Pan", "b": "Vino"}, InvalidAction, id="AE-2 there is no free text"),
    ],
)
def test_what_cannot_be_published(change: dict[str, Any], refusal: type[GameError]) -> None:
    table = Table(3).start()
    before = table.room
    with pytest.raises(refusal):
        table.do(0, publish(table, **change))
    assert table.room == before
    table.publish()


def test_ae_2_a_card_dealt_to_another_round_cannot_be_published() -> None:
    table = Table(3).start()
    first = table.hand()
    table.play("round")
    with pytest.raises(IllegalAction) as refused:
        table.do(1, publish(table, card=first[0]))
    assert refused.value.reason == "AE-2.not-dealt"
    with pytest.raises(IllegalAction):
        table.do(1, publish(table, card=first[1]))


@pytest.mark.parametrize(
    ("before", "player", "action", "refusal", "reason"),
    [
        pytest.param(
            "", 1, "publish", NotYourTurn, None, id="AE-2 only the author is asked to publish"
        ),
        pytest.param(
            "", 1, "vote", NotYourTurn, None, id="AE-3 nobody votes before there is a dilemma"
        ),
        pytest.param(
            "",
            0,
            "vote",
            IllegalAction,
            "AE-2.author-publishes",
            id="AE-2 the author is asked for a dilemma, not for a vote",
        ),
        pytest.param("publish", 0, "vote", NotYourTurn, None, id="AE-3 the author does not vote"),
        pytest.param(
            "publish",
            1,
            "publish",
            IllegalAction,
            "AE-3.others-vote",
            id="AE-3 the others vote and publish nothing",
        ),
        pytest.param(
            "publish a1",
            1,
            "vote",
            AlreadyAnswered,
            None,
            id="AE-3 an accepted vote never changes",
        ),
        pytest.param(
            "wait", 0, "vote", NotYourTurn, None, id="AE-7 an author who lapsed does not vote"
        ),
        pytest.param(
            "publish wait", 1, "vote", NotYourTurn, None, id="AE-8 nobody votes in the reveal"
        ),
    ],
)
def test_refusals(
    before: str, player: int, action: str, refusal: type[GameError], reason: str | None
) -> None:
    table = Table(4).start()
    card = table.hand()[0]
    table.play(before)
    bodies: dict[str, dict[str, Any]] = {
        "publish": {"type": "publish", "card": card, "twist": 0},
        "vote": {"type": "vote", "side": "b"},
    }
    room = table.room
    with pytest.raises(refusal) as refused:
        table.do(player, bodies[action])
    assert refused.value.reason == reason
    assert table.room == room


@pytest.mark.parametrize(
    "vote",
    [
        pytest.param({"side": "c"}, id="AE-3 there are two sides"),
        pytest.param({"side": None}, id="AE-3 a vote has a side"),
        pytest.param({}, id="AE-3 a vote names its side"),
        pytest.param({"side": "a", "why": "x"}, id="AE-3 a vote is a side and nothing else"),
    ],
)
def test_no_vote(vote: dict[str, Any]) -> None:
    table = Table(3).start().play("publish")
    with pytest.raises(InvalidAction):
        table.do(1, {"type": "vote"} | vote)


@pytest.mark.parametrize("phase", ["publish", "publish wait"])
def test_c_1_who_arrives_after_the_start_watches(phase: str) -> None:
    table = Table(3).start().play(phase)
    assert table.match(WATCHER)["private"] is None
    with pytest.raises(NotSeated):
        table.act(WATCHER, {"type": "vote", "side": "a"}, table.room.decision)


# --- the course of a round ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "script", "expected"),
    [
        pytest.param(
            5,
            "",
            {"phase": "author", "answered": 0, "expected": 1, "reserve": None, "revealed": False},
            id="AE-2 the author alone is asked, and no dilemma is public",
        ),
        pytest.param(
            5,
            "publish",
            {"phase": "vote", "answered": 0, "expected": 4, "reserve": False, "revealed": False},
            id="AE-3 on publishing the others are asked, and no side shows",
        ),
        pytest.param(
            5,
            "publish a1 b2 a3",
            {"phase": "vote", "answered": 3, "expected": 4, "a": None, "revealed": False},
            id="AE-4 the number ready of the number expected, and no more",
        ),
        pytest.param(
            5,
            "publish a1 b2 a3 b4",
            {
                "phase": "reveal",
                "a": [1, 3],
                "b": [2, 4],
                "omitted": [],
                "accepted": 4,
                "minority": 2,
                "ideal": 2,
                "distance": 0,
                "points": 500,
                "scores": [500, 0, 0, 0, 0],
                "expected": 0,
            },
            id="C-4 AE-8 with the last vote the reveal opens at once, all of it together",
        ),
        pytest.param(
            5,
            "publish a1 a3 b4 wait",
            {
                "phase": "reveal",
                "a": [1, 3],
                "b": [4],
                "omitted": [2],
                "accepted": 3,
                "minority": 1,
                "ideal": 1,
                "points": 500,
            },
            id="AE-5 an omission is left out, and named",
        ),
        pytest.param(
            4,
            "publish wait",
            {
                "phase": "reveal",
                "a": [],
                "b": [],
                "omitted": [1, 2, 3],
                "accepted": 0,
                "minority": 0,
                "ideal": 0,
                "distance": 0,
                "points": 0,
            },
            id="AE-5 C-2 nobody voted: a lapsed clock invents no vote",
        ),
        pytest.param(
            5,
            "wait",
            {"phase": "vote", "reserve": True, "expected": 4, "author": 0},
            id="AE-7 a lapsed author's dilemma is the reserve, and voting goes on without them",
        ),
        pytest.param(
            5,
            "wait a1 b2 a3 b4",
            {
                "phase": "reveal",
                "accepted": 4,
                "distance": 0,
                "points": 0,
                "scores": [0] * 5,
                "author": 0,
            },
            id="AE-7 a lapsed author gets 0 even for a perfect split",
        ),
        pytest.param(
            5,
            "wait a1 b2 a3 b4 wait",
            {"phase": "author", "author": 1, "round": 2, "rounds": 10, "reserve": None},
            id="AE-7 after a lapse the order goes on",
        ),
        pytest.param(
            3,
            "publish a1 b2 continue",
            {"phase": "author", "author": 1, "round": 2, "revealed": False, "a": None},
            id="AE-8 the host may continue, and the votes are gone",
        ),
    ],
)
def test_a_round(players: int, script: str, expected: dict[str, Any]) -> None:
    said = Table(players).start().play(script).summary()
    assert {key: said[key] for key in expected} == expected


def test_ae_8_the_reveal_says_whether_it_was_a_reserve() -> None:
    for script, reserve in (("publish", False), ("wait", True)):
        reveal = Table(3).start().play(f"{script} wait").match()["public"]["reveal"]
        assert reveal["reserve"] is reserve


def test_ae_7_the_reserve_is_fixed_before_the_phase_opens() -> None:
    table = Table(5).start()
    for shown in range(4):
        assert table.state.shown == shown
        next_in_line = table.state.reserves[shown]
        table.wait()
        assert table.state.dilemma == (next_in_line, None)
        table.play("wait wait round")
    assert table.game.used(table.state) == {"reserves": 4}


@pytest.mark.parametrize(
    ("phase", "seconds"),
    [
        pytest.param("", 40, id="AE-2 the author has 40 s"),
        pytest.param("publish", 25, id="AE-3 the voters have 25 s"),
        pytest.param("publish wait", 18, id="AE-8 the reveal lasts 18 s"),
    ],
)
def test_how_long_a_phase_is(phase: str, seconds: int) -> None:
    table = Table(3).start().play(phase)
    match = table.match()
    assert match["due_at"] - match["opened_at"] == seconds * 1_000
    table.settle(match["due_at"] - 1)
    assert table.match()["decision"] == match["decision"]
    table.settle(match["due_at"])
    assert table.match()["decision"] == match["decision"] + 1


def test_ae_8_the_host_may_continue_from_5_s() -> None:
    table = Table(3).start().play("publish wait")
    match, host = table.match(), table.room.host
    assert host is not None
    assert match["floor_at"] == match["opened_at"] + 5_000
    table.now = match["floor_at"] - 1
    with pytest.raises(TooEarly) as early:
        table.act(host, {"type": "continue"}, match["decision"])
    assert early.value.retry_after_ms == 1
    table.now = match["floor_at"]
    other = next(player for player in table.members if player != host)
    with pytest.raises(NotHost):
        table.act(other, {"type": "continue"}, match["decision"])
    table.act(host, {"type": "continue"}, match["decision"])
    assert table.summary()["phase"] == "author"


@pytest.mark.parametrize("phase", ["", "publish"])
def test_c_3_no_other_phase_can_be_shortened(phase: str) -> None:
    table = Table(3).start().play(phase)
    assert table.room.host is not None
    table.now += 24_000
    with pytest.raises(IllegalAction):
        table.act(table.room.host, {"type": "continue"}, table.room.decision)


# --- AE-9: the end ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "standings", "winners"),
    [
        pytest.param(
            "publish a1 b2 wait " + "wait wait wait " * 5,
            [(0, 1, 500), (1, 2, 0), (2, 2, 0)],
            [0],
            id="AE-9 the highest total wins alone",
        ),
        pytest.param(
            "publish a1 b2 wait publish a0 b2 wait " + "wait wait wait " * 4,
            [(0, 1, 500), (1, 1, 500), (2, 3, 0)],
            [0, 1],
            id="AE-9 a tie at the top shares the win, 1, 1, 3",
        ),
        pytest.param(
            "wait wait wait " * 6,
            [(0, 1, 0), (1, 1, 0), (2, 1, 0)],
            [0, 1, 2],
            id="AE-9 nobody has a point: all tie at the top, without a tie-break",
        ),
        pytest.param(
            "publish a1 b2 wait " + "wait wait wait " * 2 + "publish a1 b2 wait "
            "publish a0 b2 wait " + "wait wait wait ",
            [(0, 1, 1000), (1, 2, 500), (2, 3, 0)],
            [0],
            id="AE-9 points of both laps add up",
        ),
    ],
)
def test_the_end(script: str, standings: list[tuple[int, int, int]], winners: list[int]) -> None:
    table = Table(3).start().play(script)
    match = table.match()
    outcome = match["outcome"]
    assert (match["phase"], outcome["status"]) == ("over", "completed")
    rows = [
        (table.turns([row["seat"]])[0], row["position"], row["points"])
        for row in outcome["standings"]
    ]
    assert sorted(rows, key=lambda row: (row[1], row[0])) == standings
    assert [row[1] for row in rows] == sorted(row[1] for row in rows), "best first"
    assert table.turns(outcome["winners"]) == winners


def test_ae_9_the_last_reveal_stays_on_the_table() -> None:
    table = Table(3).start().play("round " * 5 + "publish a0 b1")
    last = table.match()["public"]["reveal"]
    table.wait()
    assert table.over
    assert table.match()["public"]["reveal"] == last
    table.start()
    assert table.match()["public"]["reveal"] is None
    assert table.state.votes == ""


# --- C-6: coming back ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "player", "private"),
    [
        pytest.param("publish", 1, {"vote": None}, id="C-6 a voter who has not voted yet"),
        pytest.param("publish b1", 1, {"vote": "b"}, id="C-6 AE-4 a voter's own accepted vote"),
        pytest.param("publish b1 wait", 1, {"vote": "b"}, id="C-6 the own vote, in the reveal"),
        pytest.param("publish b1", 2, {"vote": None}, id="AE-4 nobody else's vote"),
        pytest.param("publish b1", 0, {"vote": None}, id="AE-4 the author sees progress only"),
        pytest.param("", 1, {"vote": None}, id="AE-2 the others see no card"),
        pytest.param("round", 1, None, id="AE-2 the next author has cards instead of a vote"),
        pytest.param("round", 2, {"vote": None}, id="AE-3 last round's vote is gone"),
    ],
)
def test_private(script: str, player: int, private: dict[str, Any] | None) -> None:
    table = Table(3).start().play(script)
    seen = table.match(table.who(player))["private"]
    if private is None:
        assert set(seen) == {"cards"}
    else:
        assert seen == private


def test_the_public_view_has_exactly_the_fields_of_api_md() -> None:
    public = Table(3).start().play("publish a1 wait").match()["public"]
    assert list(public) == ["round", "rounds", "author", "order", "dilemma", "scores", "reveal"]
    assert set(public["dilemma"]) == {"prompt", "a", "b", "reserve"}
    assert [set(row) for row in public["scores"]] == [{"seat", "points"}] * 3
    assert list(public["reveal"]) == [
        "a",
        "b",
        "omitted",
        "accepted",
        "minority",
        "ideal",
        "distance",
        "points",
        "reserve",
    ]
