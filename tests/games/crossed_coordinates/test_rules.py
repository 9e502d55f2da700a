"""CC-1 to CC-12, a row per rule."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from chalicelib.games.crossed_coordinates import GAME, atlas, rules
from chalicelib.games.crossed_coordinates.model import PLACE_IDS, TRAIT_IDS
from chalicelib.kernel.errors import (
    AlreadyAnswered,
    IllegalAction,
    InvalidAction,
    NotYourTurn,
    StaleDecision,
)

from .table import PHASES, Table

# --- a match -----------------------------------------------------------------------------------


def test_a_match_has_four_rounds_and_one_score() -> None:
    """CC-1: four rounds, sixteen places, one score, no standings, nobody wins."""
    table = Table(4)
    places: list[str] = []
    for number in range(1, 5):
        assert table.public["round"] == number
        places += [each["name"] for each in table.public["candidates"]]
        table.until("encode").all_signal().vote("TTTT", "DDDD")
        table.wait_for_next()
    assert table.phase == "over"
    assert len(set(places)) == 16
    assert table.public["score"] == 1_600
    assert table.match()["outcome"] == {"status": "completed", "standings": [], "winners": []}
    assert table.public["reveal"] is not None, "the last reveal stays on the table"


def test_phases_follow_each_other_and_lapse_by_themselves() -> None:
    """C-2, CC-3 to CC-10: durations, floors, and who is asked; a lapsed clock invents nothing."""
    table = Table(5)
    seen = []
    while table.status == "playing":
        shown = table.match()
        seen.append(
            (
                shown["phase"],
                (shown["due_at"] - shown["opened_at"]) // 1_000,
                shown["floor_at"] and (shown["floor_at"] - shown["opened_at"]) // 1_000,
                shown["expected"],
                shown["answered"],
            )
        )
        table.wait_for_next()
    assert seen == 4 * [
        ("study", 20, 8, 5, 0),
        ("encode", 45, None, 5, None),
        ("council", 125, 60, 0, 0),
        ("ballot", 35, None, 5, None),
        ("reveal", 18, 6, 0, 0),
    ]
    assert table.state.rounds == ((0, 0, 0),) * 4
    assert table.match()["outcome"]["status"] == "completed"


@pytest.mark.parametrize("players", range(4, 13))
def test_what_is_dealt(players: int) -> None:
    """CC-2: over many deals, one or two fragments from other candidates, two different ones, the
    rest from the target, none twice, and the traits of each fragment in an order of their own."""
    targets: Counter[int] = Counter()
    holders: Counter[int] = Counter()
    reordered = 0
    for number in range(25):
        state = Table(players, master=f"deal {number}").state
        quartet = atlas.quartet(state.quartet)
        assert len(set(state.fragments)) == players
        origins = [quartet.fragments[each].place for each in state.fragments]
        others = [place for place in origins if place != state.target]
        assert len(others) == len(set(others)) == rules.distorted(players)
        targets[state.target] += 1
        holders.update(seat for seat, place in enumerate(origins) if place != state.target)
        for fragment, hand in zip(state.fragments, state.hands, strict=True):
            traits = quartet.fragments[fragment].traits
            assert sorted(hand) == sorted(traits)
            reordered += hand != traits
    assert set(targets) == set(range(4)), "any of the four can be the target"
    assert set(holders) == set(range(players)), "anybody can hold a distorted fragment"
    assert reordered > 0.9 * 25 * players


def test_every_round_is_dealt_afresh() -> None:
    """CC-2: target, holders and fragments of each round have draws of their own."""
    table = Table(12)
    deals = []
    for number in range(1, 5):
        table.until_round(number)
        deals.append((table.state.target, table.state.fragments))
    assert len(set(deals)) == 4


def test_a_room_sees_no_place_twice_until_too_few_are_left() -> None:
    """C-9, CC-1: the deck of quartets goes on from match to match, then a new lap."""
    table = Table(4)
    size = len(atlas.index())
    seen: list[int] = []
    for _ in range(size // 4):
        seen += table.state.quartets
        table.until("over")
        table.start()
    assert len(set(seen)) == len(seen) == size // 4 * 4
    assert set(table.state.quartets) <= set(range(size))


@pytest.mark.parametrize(
    ("rounds", "spent"),
    [
        pytest.param(1, 1, id="C-9 interrupted in round 1: three quartets are still unseen"),
        pytest.param(3, 3, id="C-9 interrupted in round 3: one quartet is"),
    ],
)
def test_quartets_of_rounds_that_never_began_are_not_spent(rounds: int, spent: int) -> None:
    table = Table(4).until_round(rounds)
    table.leave(table.seat(1))
    table.until("over")
    assert table.match()["outcome"]["status"] == "interrupted"
    dealt = table.state.quartets
    table.start()
    assert table.state.quartets[: 4 - spent] == dealt[spent:]


# --- what may be done --------------------------------------------------------------------------


def own(table: Table, seat: int = 0) -> list[str]:
    return [TRAIT_IDS[trait] for trait in table.state.hands[seat]]


def foreign(table: Table, seat: int = 0) -> str:
    return next(trait for trait in TRAIT_IDS if trait not in own(table, seat))


@pytest.mark.parametrize("pair", list(combinations(range(4), 2)))
def test_any_two_of_the_own_traits_are_a_signal(pair: tuple[int, int]) -> None:
    """CC-4: all six pairs, in either order, give the same receipt."""
    receipts = []
    for first, second in (pair, pair[::-1]):
        table = Table(4).until("encode")
        table.signal(0, first, second)
        receipts.append(table.private(0)["signal"])
        assert sorted(own(table)[each] for each in pair) == receipts[-1]
    assert receipts[0] == receipts[1]


@pytest.mark.parametrize(
    ("traits", "reason"),
    [
        pytest.param(lambda t: [own(t)[0], foreign(t)], "CC-4.own-traits", id="CC-4 a foreign one"),
        pytest.param(lambda t: [foreign(t), foreign(t)], "CC-4.own-traits", id="CC-4 two foreign"),
        pytest.param(lambda t: [own(t)[0], "t99"], "CC-4.own-traits", id="CC-4 unknown"),
        pytest.param(lambda t: [own(t)[0], "Cuerdas"], "CC-4.own-traits", id="CC-4 free text"),
        pytest.param(lambda t: [own(t)[1]] * 2, "CC-4.two-different", id="CC-4 one trait twice"),
    ],
)
def test_illegal_signals(traits: Any, reason: str) -> None:
    table = Table(4).until("encode")
    before = table.stored
    with pytest.raises(IllegalAction) as refusal:
        table.play(0, "signal", traits=traits(table))
    assert refusal.value.reason == reason
    assert table.stored == before


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        pytest.param("signal", {}, id="CC-4 no traits"),
        pytest.param("signal", {"traits": ["t00"]}, id="CC-4 one trait"),
        pytest.param("signal", {"traits": ["t00", "t01", "t02"]}, id="CC-4 three traits"),
        pytest.param("signal", {"traits": ["t00", 1]}, id="CC-4 a number"),
        pytest.param("signal", {"traits": "t00"}, id="CC-4 a text"),
        pytest.param("signal", {"traits": ["t00", "t01"], "text": "x"}, id="CC-4 no free text"),
        pytest.param("ballot", {}, id="CC-7 no place"),
        pytest.param("ballot", {"place": 1}, id="CC-7 a number for a place"),
        pytest.param("ballot", {"place": "p0", "signal": ["s01", "s02"]}, id="CC-7 two signals"),
        pytest.param("ready", {"at": 3}, id="CC-3 an unknown field"),
    ],
)
def test_what_is_not_an_action(kind: str, fields: dict[str, Any]) -> None:
    table = Table(4).until("encode")
    with pytest.raises(InvalidAction):
        table.play(0, kind, **fields)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"place": "p4", "signal": "s01"}, "CC-7.no-such-place", id="CC-7 fifth place"),
        pytest.param({"place": "", "signal": "s01"}, "CC-7.no-such-place", id="CC-7 no place"),
        pytest.param({"place": "p0"}, "CC-7.signal-missing", id="CC-7 a place alone"),
        pytest.param({"place": "p0", "signal": None}, "CC-7.signal-missing", id="CC-7 null"),
        pytest.param({"place": "p0", "signal": "s05"}, "CC-7.no-such-signal", id="CC-7 fifth of 4"),
        pytest.param({"place": "p0", "signal": "s1"}, "CC-7.no-such-signal", id="CC-7 no such id"),
    ],
)
def test_illegal_ballots(fields: dict[str, Any], reason: str) -> None:
    table = Table(4).all_signal().until("ballot")
    with pytest.raises(IllegalAction) as refusal:
        table.play(0, "ballot", **fields)
    assert refusal.value.reason == reason


ANSWERS: dict[str, dict[str, Any]] = {
    "ready": {},
    "signal": {"traits": ["t00", "t01"]},
    "ballot": {"place": "p0"},
}


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("phase", PHASES)
def test_each_phase_takes_its_own_answer_only(phase: str, kind: str) -> None:
    """CC-3, CC-4, CC-7; council and reveal ask nobody."""
    if (phase, kind) in (("study", "ready"), ("encode", "signal"), ("ballot", "ballot")):
        return
    table = Table(4).until(phase)
    if phase in ("council", "reveal"):
        with pytest.raises(NotYourTurn):
            table.play(0, kind, **ANSWERS[kind])
    else:
        with pytest.raises(IllegalAction, match="other-phase"):
            table.play(0, kind, **ANSWERS[kind])


def test_an_accepted_answer_is_for_good() -> None:
    """CC-4, CC-7: once accepted, neither signal nor ballot can be given again or changed."""
    table = Table(4).until("encode")
    table.signal(0, 0, 1)
    with pytest.raises(AlreadyAnswered):
        table.signal(0, 2, 3)
    decision = table.room.decision
    table.until("council")
    with pytest.raises(StaleDecision):
        table.act(table.at(1), {"type": "signal", "traits": own(table, 1)[:2]}, decision)
    assert len(table.state.signals) == 1, "C-2 a lapsed clock invents no signal"
    table.until("ballot")
    table.play(0, "ballot", place="p0", signal="s01")
    with pytest.raises(AlreadyAnswered):
        table.play(0, "ballot", place="p1", signal="s01")


def test_equal_pairs_stay_separate_entries() -> None:
    """CC-5, and their votes are counted apart."""
    table = Table(4).until("encode")
    hand = table.state.hands[0]
    table.with_state(hands=(hand,) * 4)
    table.all_signal()
    pairs = [each["traits"] for each in table.public["signals"]]
    assert [each["signal"] for each in table.public["signals"]] == ["s01", "s02", "s03", "s04"]
    assert pairs == [pairs[0]] * 4
    table.until("ballot")
    for seat, signal in enumerate(("s02", "s02", "s02", "s04")):
        table.play(seat, "ballot", place="p0", signal=signal)
    assert table.public["reveal"]["signal_votes"] == {"s01": 0, "s02": 3, "s03": 0, "s04": 1}


def test_the_order_of_the_signals_is_stable_in_the_round() -> None:
    """CC-5: the same ids for the same pairs, for everybody, until the next round is dealt."""
    table = Table(8).all_signal()
    before = table.public["signals"]
    assert len(before) == 8
    for phase in ("ballot", "reveal"):
        table.until(phase)
        for number in table.people:
            assert table.match(number)["public"]["signals"] == before
    table.until_round(2)
    assert table.public["signals"] == []


def test_ids_on_the_wire_have_one_length() -> None:
    """API, CC-5: not even a request's length tells a trait, a place or a signal."""
    table = Table(12).all_signal()
    lengths = {len(TRAIT_IDS[0])}
    assert {len(each["trait"]) for s in table.public["signals"] for each in s["traits"]} == lengths
    assert {len(each["signal"]) for each in table.public["signals"]} == {3}
    assert {len(each["place"]) for each in table.public["candidates"]} == {2}


def test_the_reveal_shows_places_of_origin_and_nobody() -> None:
    """CC-10: exactly these fields; fragments by id, which says nothing of place or seat."""
    table = Table(12).all_signal()
    held = table.state.fragments
    table.vote("TTTTTTTTxyz-", "DDDDEEabcde-")
    shown = table.public
    assert set(shown) == {"round", "candidates", "signals", "score", "rounds", "reveal"}
    assert set(shown["reveal"]) == {
        "target", "fragments", "distorted_signals", "place_votes", "signal_votes",
        "place_points", "noise_points", "alignment_points",
    }  # fmt: skip
    quartet = atlas.quartet(table.state.quartet)
    order = sorted(held, key=lambda number: quartet.fragments[number].id)
    assert [each["place"] for each in shown["reveal"]["fragments"]] == [
        PLACE_IDS[quartet.fragments[number].place] for number in order
    ]
    assert len({each["text"] for each in shown["reveal"]["fragments"]}) == 12
    assert shown["reveal"]["target"] == PLACE_IDS[table.state.target]
    assert shown["reveal"]["distorted_signals"] == sorted(shown["reveal"]["distorted_signals"])
    assert len(shown["reveal"]["distorted_signals"]) == 2


def test_settings_are_empty_and_unranked() -> None:
    assert GAME.Settings().model_dump() == {}
    assert not GAME.ranked(GAME.Settings())
    assert GAME.forgets
    assert list(GAME.seats) == list(range(4, 13))
