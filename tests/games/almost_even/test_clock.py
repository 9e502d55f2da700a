"""C-2, C-4 and ARCHITECTURE 3: what is in time, who closes a vote, and how often."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.kernel import actions, lobby, match, room
from chalicelib.kernel.errors import GameError, NotYourTurn, StaleDecision
from chalicelib.kernel.receipts import Request
from chalicelib.kernel.room import Room

from .table import WATCHER, Table, seed

ORDERS = [
    pytest.param(order, id=" then ".join(order)) for order in permutations(("poll", "vote", "beat"))
]


@pytest.mark.parametrize("order", ORDERS)
def test_c_2_a_vote_in_the_last_millisecond_counts(order: tuple[str, ...]) -> None:
    table = Table(4).start().play("publish a1")
    due = table.due
    table.settle(due - 1)
    for event in order:
        if event == "vote":
            table.vote(2, "b")
        else:
            table.settle(due - 1)
        assert table.summary()["phase"] == "vote"
    table.settle(due)
    said = table.summary()
    assert (said["a"], said["b"], said["omitted"]) == ([1], [2], [3])
    assert said["points"] == 500


@pytest.mark.parametrize("order", ORDERS)
def test_c_2_a_vote_at_the_deadline_is_stale_whoever_comes_first(order: tuple[str, ...]) -> None:
    table = Table(4).start().play("publish a1")
    table.now = due = table.due
    untouched = table.room
    closed = room.settle(untouched, table.games, due)
    decision = table.room.decision
    for event in order:
        if event == "vote":
            with pytest.raises(StaleDecision):
                table.act(table.who(2), {"type": "vote", "side": "b"}, decision)
        else:
            table.settle(due)
        assert table.room == closed, "whoever comes first stores the same closing"
    said = table.summary()
    assert (said["phase"], said["a"], said["b"], said["omitted"]) == ("reveal", [1], [], [2, 3])


def test_c_2_at_the_deadline_even_an_unsettled_match_takes_no_vote() -> None:
    table = Table(4).start().play("publish a1")
    assert table.room.match is not None
    vote = {"type": "vote", "side": "b"}
    seat, decision = table.seat(2), table.room.decision
    args = (table.game, table.room.match, table.room.code, seat, decision, vote)
    assert match.act(*args, table.due - 1).state != table.state
    with pytest.raises(StaleDecision):
        match.act(*args, table.due)


def test_a_publication_in_the_last_millisecond_counts_and_at_the_deadline_does_not() -> None:
    for early, reserve in ((1, False), (0, True)):
        table = Table(3).start()
        card, decision = table.hand()[0], table.room.decision
        table.now = table.due - early
        publish = {"type": "publish", "card": card, "twist": 2}
        if early:
            table.act(table.who(0), publish, decision)
        else:
            with pytest.raises(StaleDecision):
                table.act(table.who(0), publish, decision)
            table.settle(table.now)
        assert table.summary()["reserve"] is reserve


def test_c_4_the_vote_closes_at_the_instant_of_the_last_answer() -> None:
    table = Table(4).start().play("publish a1 b2")
    table.now += 7_123
    table.vote(3, "b")
    opened = table.match()
    assert (opened["phase"], opened["opened_at"]) == ("reveal", table.now)


def test_an_answer_does_not_extend_the_vote() -> None:
    table = Table(4).start().play("publish")
    due = table.due
    for player in (1, 2):
        table.now += 5_000
        table.vote(player, "a")
        assert table.due == due


def test_the_reveal_does_not_close_before_its_floor_though_nobody_is_asked() -> None:
    table = Table(3).start().play("publish a1 b2")
    table.settle(table.now + 17_999)
    assert table.summary()["phase"] == "reveal"


@settings(max_examples=30, deadline=None)
@given(order=st.permutations(range(12)), sides=st.lists(st.sampled_from("ab"), min_size=12))
def test_twelve_votes_at_one_instant(order: list[int], sides: list[str]) -> None:
    """Eleven are accepted and one closes the vote, whoever comes first; the author is refused.

    All twelve have read the same stored room. One is stored at a time; who loses the race starts
    again from what the winner stored, with the instant at which the own request came in.
    """
    table = Table(12).start().play("publish")
    stored: Room = table.room
    decision, version, now = stored.decision, stored.version, table.now
    accepted, refused, closings = [], [], 0
    for number, player in enumerate(order):
        before = stored.decision
        body = {"decision": decision, "action": {"type": "vote", "side": sides[player]}}
        context = lobby.Context(
            games=table.games,
            request=Request(table.who(player), now // 1_000, f"twelve-{number}", b"vote"),
            now=now,
            seed=seed("unused"),
            guest=lobby.Guest(name="Nadie", locale="es"),
        )
        try:
            stored = actions.act(room.settle(stored, table.games, now), context, body).room
            accepted.append(player)
        except GameError as refusal:
            refused.append((player, type(refusal)))
        closings += stored.decision - before
    assert len(accepted) == 11
    # As the last of all the author finds the vote closed.
    assert refused == [(0, StaleDecision if order[-1] == 0 else NotYourTurn)]
    assert closings == 1
    assert stored.version == version + 11, "the last vote and the closing are one step"
    table.room = stored
    said = table.summary()
    assert said["phase"] == "reveal"
    assert said["a"] == [player for player in range(1, 12) if sides[player] == "a"]
    assert said["b"] == [player for player in range(1, 12) if sides[player] == "b"]
    assert table.match(WATCHER)["opened_at"] == now


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 60_000), max_size=12), st.integers(3, 12))
def test_polling_changes_nothing_that_the_beat_would_not(pauses: list[int], players: int) -> None:
    polled = Table(players).start()
    silent = polled.room
    for pause in pauses:
        polled.settle(polled.now + pause)
    assert polled.room == room.settle(silent, polled.games, polled.now)
