"""Deadlines, floors and the end of the clock, to the millisecond (C-2, C-3, C-4)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from chalicelib.games import GAMES
from chalicelib.games.liars_dice.model import Challenge
from chalicelib.kernel import room as rooms
from chalicelib.kernel.errors import (
    IllegalAction,
    NotHost,
    NotYourTurn,
    StaleDecision,
    TooEarly,
)
from chalicelib.kernel.model import Model
from tests.table import BEGIN, Table

TURN_MS = 60_000


def started(players: int = 3) -> Table:
    table = Table("liars-dice", players)
    table.start()
    return table


def test_c_2_an_answer_in_the_last_millisecond_counts() -> None:
    table = started()
    table.now += TURN_MS - 1
    table.play(table.state.turn, "bid", quantity=1, face=2)
    assert table.state.bids


@pytest.mark.parametrize("who", ["the player", "a poll", "the beat"])
def test_c_2_an_answer_at_due_at_does_not_whoever_is_first(who: str) -> None:
    table = started()
    seat, decision = table.state.turn, table.room.decision
    number = table.at(seat)
    table.now += TURN_MS
    if who != "the player":
        table.settle()
    with pytest.raises(StaleDecision):
        table.act(number, {"type": "bid", "quantity": 1, "face": 2}, decision)
    table.settle()
    assert table.phase == "reveal"
    assert table.room.match is not None
    assert table.room.match.opened_at == BEGIN + TURN_MS
    assert seat not in table.state.living


def test_a_closing_is_dated_when_it_was_due_not_when_it_was_noticed() -> None:
    late, punctual = started(), started()
    late.wait(TURN_MS + 8_000 + 59_999)
    for pause in (TURN_MS, 8_000, 59_999):
        punctual.wait(pause)
    assert late.room == punctual.room


def test_an_answer_does_not_extend_its_question() -> None:
    table = started()
    table.wait(30_000)
    table.play(table.state.turn, "bid", quantity=1, face=2)
    question = table.view(0)["match"]
    assert question["due_at"] == table.now + TURN_MS  # a bid opens a question of its own
    assert question["opened_at"] == table.now


@pytest.mark.parametrize(
    ("after_ms", "outcome"),
    [
        pytest.param(0, TooEarly(3_000), id="C-3 at once: too early"),
        pytest.param(2_999, TooEarly(1), id="C-3 a millisecond before the floor: too early"),
        pytest.param(3_000, None, id="C-3 at the floor: the next round"),
        pytest.param(7_999, None, id="C-3 a millisecond before it ends anyway"),
    ],
)
def test_the_host_may_shorten_a_reveal_from_its_floor(
    after_ms: int, outcome: TooEarly | None
) -> None:
    table = started()
    table.wait(TURN_MS)
    decision = table.room.decision
    table.now += after_ms
    if outcome is None:
        table.act(0, {"type": "continue"}, decision)
        assert table.phase == "turn"
    else:
        with pytest.raises(TooEarly) as refused:
            table.act(0, {"type": "continue"}, decision)
        assert refused.value.retry_after_ms == outcome.retry_after_ms
        assert table.phase == "reveal"


def test_only_the_host_continues_and_only_where_a_rule_has_a_floor() -> None:
    table = started()
    with pytest.raises(NotHost):
        table.act(1, {"type": "continue"}, table.room.decision)
    with pytest.raises(IllegalAction) as refused:
        table.act(0, {"type": "continue"}, table.room.decision)
    assert refused.value.reason == "cannot-continue"
    with pytest.raises(StaleDecision):
        table.act(0, {"type": "continue"}, table.room.decision + 1)


def test_nobody_answers_a_reveal() -> None:
    table = started()
    table.wait(TURN_MS)
    seat = table.state.living[0]
    with pytest.raises(NotYourTurn):
        table.play(seat, "challenge")


def test_a_bot_thinks_one_to_four_seconds_and_moves_at_its_own_instant() -> None:
    table = Table("liars-dice", 1)
    table.act(0, {"type": "add-bot"})
    table.start()
    if table.state.turn == table.seat(0):
        table.play(table.seat(0), "bid", quantity=1, face=2)
    opened = table.now
    wake_at = rooms.wake_at(table.room, GAMES)
    assert wake_at is not None
    assert opened + 1_000 <= wake_at <= opened + 4_000
    table.wait(wake_at - opened - 1)
    decision = table.room.decision
    table.wait(1)
    assert table.room.decision > decision
    assert table.room.at == wake_at


def broken(**functions: Callable[..., object]) -> dict[str, object]:
    return {"liars-dice": dataclasses.replace(GAMES["liars-dice"], **functions)}  # type: ignore[arg-type]


def fail(*_: object) -> Model:
    raise KeyError("a rule with a mistake in it")


def test_a_rule_that_fails_ends_the_match_and_not_the_room() -> None:
    table = started()
    table.games = broken(expire=fail)  # type: ignore[assignment]
    table.wait(TURN_MS)
    assert table.status == "finished"
    outcome = table.view(0)["match"]["outcome"]
    assert outcome == {"status": "interrupted", "standings": [], "winners": []}
    table.games = GAMES
    table.act(0, {"type": "start", "match": 2})
    assert table.status == "playing"


@pytest.mark.parametrize(
    "bot",
    [
        pytest.param(fail, id="a bot that fails"),
        pytest.param(
            lambda *_: Challenge(type="challenge"),
            id="a bot that plays illegally",
        ),
    ],
)
def test_a_bad_bot_has_left(bot: Callable[..., object]) -> None:
    table = Table("liars-dice", 2)
    table.act(0, {"type": "add-bot"})
    table.start()
    table.games = broken(bot=bot)  # type: ignore[assignment]
    for _ in range(3):
        table.wait_for_next()
    assert table.room.match is not None
    assert table.room.match.bots == ()
    left = [each["left"] for each in table.view(0)["room"]["members"] if each["bot"]]
    assert left == [True]
