"""CC-5, CC-10: what whoever holds the stored item can find out of a round that has been scored.

Everything is tried: to draw again what was drawn, from all that the item holds or can be made to
yield, under all labels; to fit all possible bodies to the receipts. Each attack is also made on a
game or a device that is careless, where it must succeed.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from typing import Any, Final

import pytest

from chalicelib.games.crossed_coordinates import GAME, rules
from chalicelib.games.crossed_coordinates.model import PLACE_IDS, ROUNDS, SIGNAL_IDS, TRAIT_IDS
from chalicelib.kernel.draws import Draws, keyed
from chalicelib.kernel.match import AnyGame, root_seed
from chalicelib.kernel.model import uncovered
from chalicelib.kernel.receipts import Request

from .table import Table

CLOSINGS: Final = 5 * ROUNDS


def forgetful(game: AnyGame, forgets: bool) -> AnyGame:
    """The game as it is, or one that keeps its seed: every attack must succeed on that."""
    return replace(game, forgets=forgets)


def played(forgets: bool, players: int = 9) -> Table:
    """All have signalled, no two alike, and the ballot is open."""
    table = Table(players, master="attacked", game=forgetful(GAME, forgets))
    table.until("encode")
    for seat in table.seats:
        pairs = combinations(range(4), 2)
        hand, sent = table.state.hands[seat], table.state.sent
        table.signal(seat, *next(p for p in pairs if pair_of(hand, *p) not in sent))
    table.until("ballot")
    return table


def pair_of(hand: Sequence[int], first: int, second: int) -> tuple[int, ...]:
    return tuple(sorted((hand[first], hand[second])))


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def seeds_within(table: Table) -> Iterator[bytes]:
    """Everything that the stored item could be made to draw from: what it holds, what can be
    derived from that as the kernel derives it, and whatever these will be ratcheted to."""
    doc = json.loads(table.stored)
    held = {b64decode(t) for t in texts_in(doc) if re.fullmatch(r"[A-Za-z0-9+/]{43}=", t)}
    assert len(held) >= 4, "the match's, the next one's, the room's, the pile's"
    derived = set(held)
    for each in held:
        derived |= {keyed(each, label) for label in ("master", "shuffle", "lap", "quartets")}
        derived.add(root_seed(each, doc["code"], 1, ("",) * table.state.seats))
    for seed in derived:
        for _ in range(CLOSINGS):
            yield seed
            seed = keyed(seed, "ratchet")


def hands_dealt_again(table: Table) -> tuple[tuple[int, ...], ...] | None:
    """By seat, if dealing again from anything stored brings the fragments of the reveal."""
    state = table.state
    for seed in seeds_within(table):
        for label in range(ROUNDS):
            before = state.evolve(phase="reveal", round=label, quartets=(state.quartet,) * ROUNDS)
            again = rules.expire(before, Draws(seed))
            if tuple(sorted(again.fragments)) == state.shown:
                return again.hands
    return None


def shuffle_drawn_again(table: Table) -> bool:
    """Does anything stored draw the published order?"""
    odd = table.state.distorted
    published = tuple((pair, n in odd) for n, pair in enumerate(table.state.signals))
    return any(
        Draws(seed).shuffled(sorted(published), "signals", label) == published
        for seed in seeds_within(table)
        for label in range(1, ROUNDS + 1)
    )


@pytest.mark.parametrize("forgets", [True, False])
def test_the_hands_cannot_be_dealt_again_from_the_stored_item(forgets: bool) -> None:
    """CC-10, for every seed and label; a game that keeps its seed would give them all away."""
    table = played(forgets)
    hands = table.state.hands
    table.until("reveal")
    assert hands_dealt_again(table) == (None if forgets else hands)


@pytest.mark.parametrize("forgets", [True, False])
def test_the_shuffle_cannot_be_drawn_again_from_the_stored_item(forgets: bool) -> None:
    """CC-5: neither while the round goes on nor after; and if it could, it would lead back to
    the sorted pairs, not to a seat."""
    table = played(forgets)
    for phase in ("ballot", "reveal"):
        table.until(phase)
        assert shuffle_drawn_again(table) == (not forgets)


@pytest.mark.parametrize("later", ["reveal", "over"])
def test_no_seed_that_was_used_is_left(later: str) -> None:
    """The seeds of all questions so far, against all that can be got from the item."""
    used: set[bytes] = set()
    table = Table(4)
    while table.phase != later:
        assert table.room.match is not None
        used.add(uncovered(table.room.match.seed))
        table.wait_for_next()
    assert len(used) == (4 if later == "reveal" else CLOSINGS)
    assert not used & set(seeds_within(table))


def test_what_is_left_after_scoring_has_nothing_by_seat() -> None:
    """CC-10: an allow-list of what is stored. Twelve were dealt, eleven signalled, ten voted."""
    table = Table(12).until("encode")
    for seat in range(11):
        table.signal(seat)
    table.until("ballot")
    for seat in range(10):
        table.ballot(seat, "T", "a")
    table.until("reveal")
    state = json.loads(table.stored)["match"]["state"]
    assert set(state) == {
        "decision", "phase", "seats", "quartets", "round", "rounds", "target",
        "signals", "distorted", "shown", "place_votes", "signal_votes",
    }  # fmt: skip
    assert state["shown"] == sorted(state["shown"])
    assert state["distorted"] == sorted(state["distorted"])
    assert {key: len(each) for key, each in state.items() if isinstance(each, list)} == {
        "quartets": 4, "rounds": 1, "signals": 11, "distorted": len(state["distorted"]),
        "shown": 12, "place_votes": 4, "signal_votes": 11,
    }  # fmt: skip


class Guessable(Table):
    """People whose devices count their keys."""

    def request(self, number: int, body: bytes, key: str | None = None) -> Request:
        self._keys += 1
        return super().request(number, body, key or f"key-{self._keys}")


def test_receipts_do_not_give_the_bodies_away() -> None:
    """C-5, CC-5: of every signal and ballot that could have been sent, under every key that could
    be thought of, none fits a receipt; with keys that can be guessed they would."""
    for kind, found in ((Table, 0), (Guessable, 2 * 4)):
        table = kind(4).until("encode")
        for seat in table.seats:
            table.signal(seat, 2, 1)
        table.until("ballot")
        for seat in table.seats:
            table.ballot(seat, "T", "a")
        assert table.phase == "reveal"
        keys = ["", "x", "1", *(f"key-{n}" for n in range(60)), *map(str, range(9))]
        assert len(fitting(table, keys)) == found


@pytest.mark.parametrize("author", range(4))
def test_how_many_receipts_there_are_tells_nobodys_signal(author: int) -> None:
    """CC-5: in a round with a single signal, everybody has as many."""
    table = Table(4).until("encode")
    table.signal(author, 2, 1)
    table.until("reveal")
    assert {len(each.receipts) for each in table.room.members if each.seat is not None} == {3}


def fitting(table: Table, keys: Sequence[str]) -> set[str]:
    """Stored receipts that one of all possible bodies fits under one of `keys`."""
    bodies = [
        json.dumps({"action": {"type": "signal", "traits": [one, other]}, "decision": 2}).encode()
        for one in TRAIT_IDS
        for other in TRAIT_IDS
    ] + [
        json.dumps(
            {"action": {"type": "ballot", "place": place, "signal": signal}, "decision": 4}
        ).encode()
        for place in PLACE_IDS
        for signal in SIGNAL_IDS
    ]
    stored = {line for each in table.room.members for line in each.receipts}
    tags = {line[8:16]: line for line in stored}
    return {
        tags[tag]
        for member in table.room.members
        for key in ["", *keys]
        for body in bodies
        for tag in (Request(member.id, 0, key, body).body_tag,)
        if tag in tags
    } | {
        line
        for line in stored
        for body in bodies
        if line[8:16] == urlsafe_b64encode(sha256(body).digest()[:6]).decode()
    }
