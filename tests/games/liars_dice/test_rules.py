"""Dados mentirosos, rule by rule: a row says what the rule says."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.games.liars_dice import rules
from chalicelib.games.liars_dice.model import (
    Bid,
    BidAction,
    Challenge,
    Exact,
    LiarsDiceSettings,
    Reveal,
    State,
)
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.errors import IllegalAction
from chalicelib.kernel.game import Setup
from tests.table import seed

DRAWS = Draws(seed("liars-dice"))


def draws_where(round_: int, chambers: dict[int, int], faces: range = range(2_000)) -> Draws:
    """Draws in whose round `round_` the drum stops as `chambers` says."""
    for number in faces:
        draws = Draws(seed(f"drum {number}"))
        fork = draws.fork("round", round_)
        if all(1 + fork.below(6, "shot", s) == c for s, c in chambers.items()):
            return draws
    raise LookupError(chambers)


def table(*dice: str, **changes: Any) -> State:
    """A table in round 1 whose cups hold `dice`; seat 0 is on turn."""
    seats = len(dice)
    settings = changes.pop("settings", {})
    state = State(
        settings=LiarsDiceSettings(**settings),
        decision=5,
        round=1,
        turn=0,
        dice=dice,
        bullets=(0,) * seats,
        defeated=(False,) * seats,
        position=(0,) * seats,
    )
    return state.evolve(**changes)


def bid(quantity: int, face: int) -> BidAction:
    return BidAction(type="bid", quantity=quantity, face=face)


LIAR = Challenge(type="challenge")
EXACT = Exact(type="exact")


@pytest.mark.parametrize("seats", range(2, 7))
def test_ld_1_all_roll_five_dice_at_the_start(seats: int) -> None:
    setup = Setup(seats=seats, settings=LiarsDiceSettings(), decision=7, dealt={})
    state = rules.start(setup, DRAWS)
    assert [len(cup) for cup in state.dice] == [5] * seats
    assert state.dice_in_play == 5 * seats
    assert (state.round, state.decision) == (1, 7)
    assert 0 <= state.turn < seats
    assert set("".join(state.dice)) <= set("123456")


@pytest.mark.parametrize(
    ("standing", "raised", "reason"),
    [
        pytest.param(None, (1, 2), None, id="LD-2 the lowest bid opens a round"),
        pytest.param(None, (10, 6), None, id="LD-2 the highest bid may open a round"),
        pytest.param(None, (11, 2), "LD-2.quantity", id="LD-2 more than the dice rolled"),
        pytest.param(None, (0, 2), "LD-2.quantity", id="LD-2 no dice at all"),
        pytest.param(None, (-3, 2), "LD-2.quantity", id="LD-2 a negative quantity"),
        pytest.param(None, (1, 7), "LD-2.face", id="LD-2 a die has no seven"),
        pytest.param(None, (1, 0), "LD-2.face", id="LD-2 a die has no zero"),
        pytest.param(None, (1, 1), "LD-4.ones-wild", id="LD-4 wild ones cannot be bid"),
        pytest.param((3, 4), (3, 5), None, id="LD-2 as many of a higher face"),
        pytest.param((3, 4), (4, 2), None, id="LD-2 more dice of a lower face"),
        pytest.param((3, 4), (4, 4), None, id="LD-2 more dice of the same face"),
        pytest.param((3, 4), (3, 4), "LD-2.raise", id="LD-2 the same bid is no raise"),
        pytest.param((3, 4), (3, 3), "LD-2.raise", id="LD-2 as many of a lower face"),
        pytest.param((3, 4), (2, 6), "LD-2.raise", id="LD-2 fewer dice of a higher face"),
        pytest.param((10, 6), (10, 6), "LD-2.raise", id="LD-2 nothing is above the highest bid"),
    ],
)
def test_bids(standing: tuple[int, int] | None, raised: tuple[int, int], reason: str) -> None:
    bids = () if standing is None else (Bid(1, *standing),)
    state = table("22222", "33333", bids=bids)
    if reason is None:
        after = rules.act(state, 0, bid(*raised), DRAWS)
        assert after.bids[-1] == Bid(0, *raised)
        assert (after.turn, after.decision) == (1, 6)
    else:
        with pytest.raises(IllegalAction) as refused:
            rules.act(state, 0, bid(*raised), DRAWS)
        assert refused.value.reason == reason


def test_ld_4_ones_are_ordinary_when_the_host_says_so() -> None:
    state = table("11222", "33333", settings={"ones_wild": False})
    assert rules.act(state, 0, bid(1, 1), DRAWS).bids == (Bid(0, 1, 1),)
    assert (rules.count(state, 2), rules.count(state, 1)) == (3, 2)


@pytest.mark.parametrize(
    ("action", "settings", "bids", "reason"),
    [
        pytest.param(LIAR, {}, (), "LD-2.first-bids", id="LD-2 nobody says liar before a bid"),
        pytest.param(EXACT, {}, (), "LD-2.first-bids", id="LD-2 nobody calls exact before a bid"),
        pytest.param(
            EXACT, {"exact": False}, (Bid(1, 2, 3),), "LD-6.exact-off", id="LD-6 switched off"
        ),
    ],
)
def test_calls_refused(action: Any, settings: Any, bids: Any, reason: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        rules.act(table("22222", "33333", settings=settings, bids=bids), 0, action, DRAWS)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("face", "wild", "number"),
    [
        pytest.param(3, True, 4, id="LD-4 wild ones count as the named face"),
        pytest.param(3, False, 2, id="LD-4 ordinary ones do not"),
        pytest.param(6, True, 3, id="LD-5 the dead have no dice to count"),
    ],
)
def test_count(face: int, wild: bool, number: int) -> None:
    state = table("13314", "26455", "", settings={"ones_wild": wild})
    assert rules.count(state, face) == number


@pytest.mark.parametrize(
    ("quantity", "loser"),
    [
        pytest.param(2, 0, id="LD-5 more than was bid: the challenger loses"),
        pytest.param(3, 0, id="LD-5 just as many: the challenger loses"),
        pytest.param(4, 1, id="LD-5 fewer: the bidder loses"),
    ],
)
def test_liar(quantity: int, loser: int) -> None:
    draws = draws_where(1, {0: 6, 1: 6})
    state = table("33222", "34445", bids=(Bid(1, quantity, 3),))
    after = rules.act(state, 0, LIAR, draws)
    assert after.reveal is not None
    assert (after.reveal.kind, after.reveal.caller) == ("challenge", 0)
    assert [(shot.seat, shot.bullets, shot.dead) for shot in after.reveal.shots] == [
        (loser, 1, False)
    ]
    assert after.bullets[loser] == 1
    assert after.turn == loser  # LD-8: the loser, alive, starts


@pytest.mark.parametrize(
    ("quantity", "fired", "starter"),
    [
        pytest.param(3, [1, 2], 0, id="LD-6 a hit: every other living player fires"),
        pytest.param(2, [0], 0, id="LD-6 one too few: the caller loses"),
        pytest.param(4, [0], 0, id="LD-6 one too many: the caller loses"),
    ],
)
def test_exact(quantity: int, fired: list[int], starter: int) -> None:
    draws = draws_where(1, {0: 6, 1: 6, 2: 6})
    state = table("33222", "34445", "22222", bids=(Bid(2, quantity, 3),))
    after = rules.act(state, 0, EXACT, draws)
    assert after.reveal is not None
    assert [shot.seat for shot in after.reveal.shots] == fired
    assert after.bullets == tuple(int(seat in fired) for seat in range(3))
    assert after.turn == starter
    defeated = [seat for seat in range(3) if after.defeated[seat]]
    assert defeated == ([] if quantity == 3 else [0])  # a bullet from an exact is no defeat


@pytest.mark.parametrize(
    ("configured", "had", "defeated", "fires_with"),
    [
        pytest.param(1, 0, False, 1, id="LD-7 the first defeat loads the table's bullets: one"),
        pytest.param(3, 0, False, 3, id="LD-7 the first defeat loads the table's bullets: three"),
        pytest.param(3, 3, True, 4, id="LD-7 a later defeat loads one"),
        pytest.param(3, 2, False, 5, id="LD-7 bullets of exact calls are no defeat"),
        pytest.param(5, 4, False, 6, id="LD-7 at most six"),
        pytest.param(1, 6, True, 6, id="LD-7 six stay six"),
    ],
)
def test_loading(configured: int, had: int, defeated: bool, fires_with: int) -> None:
    state = table(
        "22222",
        "33333",
        settings={"bullets": configured},
        bids=(Bid(1, 1, 3),),
        bullets=(had, 0),
        defeated=(defeated, False),
    )
    after = rules.act(state, 0, LIAR, DRAWS)
    assert after.reveal is not None
    shot = after.reveal.shots[0]
    assert (shot.seat, shot.bullets) == (0, fires_with)
    assert shot.dead == (shot.chamber <= fires_with)
    assert after.bullets[0] == fires_with


@pytest.mark.parametrize(
    ("chamber", "dead"),
    [pytest.param(c, c <= 2, id=f"LD-7 two bullets, chamber {c}") for c in range(1, 7)],
)
def test_the_drum(chamber: int, dead: bool) -> None:
    draws = draws_where(1, {0: chamber})
    state = table("22222", "33333", "44444", bids=(Bid(2, 1, 3),), bullets=(1, 0, 0))
    after = rules.act(state, 0, LIAR, draws)
    assert (0 not in after.living) == dead
    assert after.turn == (1 if dead else 0)  # LD-8: else the next living clockwise


def test_ld_3_a_lapsed_turn_is_certain_death_and_a_void_round() -> None:
    state = table("22222", "33333", "44444", bids=(Bid(2, 1, 3),))
    after = rules.expire(state, DRAWS)
    assert after.reveal is not None
    assert after.reveal.kind == "timeout"
    assert [(shot.seat, shot.bullets, shot.dead) for shot in after.reveal.shots] == [(0, 6, True)]
    assert (after.living, after.position[0], after.bullets[0]) == ((1, 2), 3, 6)
    nxt = rules.expire(after, DRAWS)
    assert (nxt.round, nxt.turn, nxt.bids, nxt.reveal) == (2, 1, (), None)
    assert nxt.dice[0] == ""
    assert nxt.dice_in_play == 10


@pytest.mark.parametrize(
    ("who", "turn", "bidder", "reveal", "starts"),
    [
        pytest.param(0, 0, 2, "void", 1, id="LD-9 the leaver was on turn: void, the next starts"),
        pytest.param(2, 0, 2, "void", 0, id="LD-9 the leaver made the standing bid: void"),
        pytest.param(1, 0, 2, None, 0, id="LD-9 anybody else: the round goes on"),
    ],
)
def test_leaving(who: int, turn: int, bidder: int, reveal: str | None, starts: int) -> None:
    state = table("22222", "33333", "44444", "55555", turn=turn, bids=(Bid(bidder, 2, 3),))
    after = rules.leave(state, who)
    assert who not in after.living
    assert after.position[who] == 4
    assert (after.reveal.kind if after.reveal else None) == reveal
    assert after.turn == starts
    assert after.decision == state.decision + (reveal is not None)
    assert after.dice == state.dice  # LD-9: the leaver's dice stay and count
    assert after.dice_in_play == 20


def test_ld_9_a_leaver_who_is_not_concerned_is_revealed_with_the_others() -> None:
    state = rules.leave(table("33333", "33333", "22222", bids=(Bid(2, 6, 3),)), 1)
    after = rules.act(state, 0, LIAR, draws_where(1, {0: 6, 2: 6}))
    assert after.reveal is not None
    assert after.reveal.shots[0].seat == 0  # ten threes stood, the leaver's five among them


@pytest.mark.parametrize(
    ("reveal", "over"),
    [
        pytest.param(None, True, id="LD-9 the last one alive by leaving: over at once"),
        pytest.param("challenge", True, id="LD-9 leaving in a reveal: over at once too"),
    ],
)
def test_one_left(reveal: Any, over: bool) -> None:
    shown = None if reveal is None else Reveal(kind=reveal, caller=0)
    state = rules.leave(table("22222", "33333", reveal=shown), 0)
    assert state.over is over
    assert (state.position, rules.awaiting(state)) == ((2, 1), None)
    assert rules.outcome(state).winners == (1,)


def test_ld_9_those_who_die_at_once_share_survivors_plus_one() -> None:
    draws = draws_where(1, {1: 1, 2: 1, 3: 6}, range(20_000))
    state = table("33222", "34445", "22222", "55555", bids=(Bid(3, 3, 3),))
    after = rules.act(state, 0, EXACT, draws)
    assert after.position == (0, 3, 3, 0)


def test_ld_9_an_exact_caller_wins_when_all_the_others_die() -> None:
    draws = draws_where(1, {1: 1, 2: 1}, range(20_000))
    state = table("33222", "34445", "22222", bids=(Bid(2, 3, 3),))
    after = rules.act(state, 0, EXACT, draws)
    assert after.position == (1, 2, 2)
    question = rules.awaiting(after)
    assert question is not None  # the last reveal is shown
    assert question.phase == "reveal"
    end = rules.expire(after, draws)
    assert rules.awaiting(end) is None
    assert rules.outcome(end).standings == ((0, 1, None), (1, 2, None), (2, 2, None))


def test_ld_9_the_winner_may_leave_the_last_reveal() -> None:
    draws = draws_where(1, {0: 1})
    shown = rules.act(table("22222", "33333", bids=(Bid(1, 1, 3),)), 0, LIAR, draws)
    assert shown.position == (2, 1)
    left = rules.leave(shown, 1)
    assert (left.over, rules.outcome(left).winners) == (True, (1,))
    assert rules.leave(shown, 0) == shown  # the dead may go


def test_ld_10_the_reveal_has_its_floor() -> None:
    shown = rules.expire(table("22222", "33333", "44444"), DRAWS)
    question = rules.awaiting(shown)
    assert question is not None
    assert (question.seconds, question.floor_seconds, question.host_may_close) == (8, 3, True)
    assert question.asked is None


@pytest.mark.parametrize(
    ("settings", "valid"),
    [
        pytest.param({"ranked": True}, True, id="LD-11 ranked has the defaults"),
        pytest.param({"ranked": True, "bullets": 2}, False, id="LD-11 one bullet"),
        pytest.param({"ranked": True, "ones_wild": False}, False, id="LD-11 ones wild"),
        pytest.param({"ranked": True, "exact": False}, False, id="LD-11 exact on"),
        pytest.param({"ranked": True, "turn_seconds": 30}, False, id="LD-11 sixty seconds"),
        pytest.param({"turn_seconds": 15}, True, id="LD-3 the shortest turn"),
        pytest.param({"turn_seconds": 180}, True, id="LD-3 the longest turn"),
        pytest.param({"turn_seconds": 14}, False, id="LD-3 too short a turn"),
        pytest.param({"turn_seconds": 181}, False, id="LD-3 too long a turn"),
        pytest.param({"bullets": 5}, True, id="LD-7 five bullets"),
        pytest.param({"bullets": 0}, False, id="LD-7 no bullet"),
        pytest.param({"bullets": 6}, False, id="LD-7 six bullets"),
    ],
)
def test_settings(settings: Any, valid: bool) -> None:
    if valid:
        chosen = LiarsDiceSettings.model_validate(settings, strict=True)
        assert rules.ranked(chosen) == settings.get("ranked", False)
    else:
        with pytest.raises(ValueError, match="1 validation error"):
            LiarsDiceSettings.model_validate(settings, strict=True)
