"""AE-2, AE-4: what nobody may know, held as bytes over whole matches.

Two rooms are played move by move with the same keys, instants and seeds. In the second the votes
of every round are dealt out differently among those who vote. Until the reveal nobody can tell in
which of the two rooms they are, and once a round's votes are wiped the rooms are the same again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.kernel import actions, store
from chalicelib.kernel.model import Seat

from .table import WATCHER, Table


class Script(NamedTuple):
    """One round: `votes` and `swapped` are (player, side) and the sides in the other room."""

    publish: tuple[int, int] | None
    votes: tuple[tuple[int, str], ...]
    swapped: tuple[str, ...]
    leavers: tuple[int, ...]
    """Who leaves while the vote is open."""
    pause: int


@st.composite
def rounds(draw: st.DrawFn, players: int) -> Script:
    voters = draw(st.lists(st.integers(0, players - 1), unique=True))
    sides = draw(st.lists(st.sampled_from("ab"), min_size=len(voters), max_size=len(voters)))
    leaves = draw(st.integers(0, 7)) == 0
    return Script(
        publish=draw(st.none() | st.tuples(st.integers(0, 1), st.integers(0, 2))),
        votes=tuple(zip(voters, sides, strict=True)),
        swapped=tuple(draw(st.permutations(sides))),
        leavers=(draw(st.integers(0, players - 1)),) if leaves else (),
        pause=draw(st.integers(0, 2_000)),
    )


@st.composite
def matches(draw: st.DrawFn) -> tuple[int, int, list[Script]]:
    players = draw(st.integers(3, 12))
    laps = 2 if players <= 5 else 1
    script = st.lists(rounds(players), min_size=laps * players, max_size=laps * players)
    return players, draw(st.integers(0, 1_000)), draw(script)


def present(table: Table) -> list[str]:
    return [each.id for each in table.room.members if each.human]


def same_to_everybody(one: Table, other: Table, but: Iterable[str] = ()) -> None:
    """No viewer but those whose own vote differs can tell the rooms apart."""
    assert present(one) == present(other)
    for player in present(one):
        if player not in but:
            assert one.everything_for(player) == other.everything_for(player)


def receipts_apart(table: Table) -> Any:
    """The stored room without what says which bytes each member sent."""
    doc = json.loads(store.dump(table.room))
    for member in doc["members"]:
        member.pop("receipts", None)
    for departed in doc.get("departed", ()):
        departed.pop("receipts", None)
    return doc


def seen_of(accepted: actions.Accepted) -> tuple[Any, ...]:
    return accepted.receipt, accepted.replayed


def vote(table: Table, player: int, side: str) -> tuple[Any, ...]:
    return seen_of(table.do(player, {"type": "vote", "side": side}))


@settings(max_examples=30, deadline=None)
@given(matches())
def test_ae_4_who_voted_what_shows_nowhere_before_the_reveal(
    played: tuple[int, int, list[Script]],
) -> None:
    players, number, script = played
    one, other = Table(players, number).start(), Table(players, number).start()
    both = (one, other)
    for planned in script:
        if one.over:
            break
        same_to_everybody(one, other)
        for table in both:
            table.publish(*planned.publish) if planned.publish else table.wait()
        voting = set(one.voters)
        kept = [
            (player, side, swapped)
            for (player, side), swapped in zip(planned.votes, planned.swapped, strict=True)
            if player in voting
        ]
        # Only those who really vote exchange their votes.
        sides = sorted(side for _, side, _ in kept)
        deal = sorted(range(len(kept)), key=lambda n: (kept[n][2], n))
        swapped = {kept[n][0]: side for n, side in zip(deal, sides, strict=True)}
        differ: set[str] = set()
        for player, side, _ in kept:
            identity = one.who(player)
            for table in both:
                table.now += planned.pause
            answers = (vote(one, player, side), vote(other, player, swapped[player]))
            assert answers[0] == answers[1]
            if side != swapped[player]:
                differ.add(identity)
            if one.summary()["phase"] == "vote":
                same_to_everybody(one, other, differ)
                same_but_for_the_own_vote(one, other, differ)
        if one.summary()["phase"] == "vote":
            for leaver in planned.leavers:
                if one.seat(leaver) not in one.state.gone:
                    differ.discard(one.who(leaver))
                    one.leave(leaver)
                    other.leave(leaver)
        if not one.over and one.summary()["phase"] == "vote":
            same_to_everybody(one, other, differ)
            for table in both:
                table.wait()
        assert one.summary()["accepted"] == other.summary()["accepted"]
        if one.over:
            break
        for table in both:
            table.wait()
        if not one.over:
            assert receipts_apart(one) == receipts_apart(other), "the votes have been wiped"
    assert one.over == other.over


def same_but_for_the_own_vote(one: Table, other: Table, differ: Iterable[str]) -> None:
    """Who voted otherwise sees the own vote and no other difference; sizes are the same for all,
    and those of the stored rooms too."""
    for player in differ:
        seen = [table.everything_for(player) for table in (one, other)]
        assert len(seen[0]) == len(seen[1])
        blank = [json.loads(each) for each in seen]
        for _, views in blank:
            for view in views:
                assert view["match"]["private"].pop("vote") in ("a", "b")
        assert blank[0] == blank[1]
    assert len(store.dump(one.room)) == len(store.dump(other.room))


@settings(max_examples=40, deadline=None)
@given(
    players=st.integers(3, 12),
    number=st.integers(0, 1_000),
    data=st.data(),
    publish=st.booleans(),
)
def test_ae_4_any_other_votes_look_the_same_until_the_reveal(
    players: int, number: int, data: st.DataObject, publish: bool
) -> None:
    one, other = Table(players, number).start(), Table(players, number).start()
    for table in (one, other):
        table.publish() if publish else table.wait()
    votes = st.lists(st.sampled_from("ab"), min_size=players - 2, max_size=players - 2)
    differ = set()
    for player, mine, theirs in zip(
        one.voters[:-1], data.draw(votes), data.draw(votes), strict=True
    ):
        assert vote(one, player, mine) == vote(other, player, theirs)
        if mine != theirs:
            differ.add(one.who(player))
        same_to_everybody(one, other, differ)
    same_but_for_the_own_vote(one, other, differ)
    if differ:
        assert {table.state.votes for table in (one, other)} != {one.state.votes}
        for table in (one, other):
            table.wait()
        assert one.everything_for(WATCHER) != other.everything_for(WATCHER), "it shows in the end"


@settings(max_examples=30, deadline=None)
@given(players=st.integers(3, 12), number=st.integers(0, 1_000), data=st.data())
def test_ae_2_cards_and_reserves_show_to_nobody_else(
    players: int, number: int, data: st.DataObject
) -> None:
    """Deal other cards to a round that has not been published, and other ones to come: only the
    author sees a difference, and of the two cards alone."""
    table = Table(players, number).start()
    for _ in range(data.draw(st.integers(0, 2))):
        table.play("round")
    state, author = table.state, table.who(table.author)
    seen = {player: table.everything_for(player) for player in present(table)}
    begun = 2 * state.round
    dealt, hand, to_come = state.cards[: begun - 2], state.hand, state.cards[begun:]

    def redealt(**changes: Any) -> dict[str, bytes]:
        other = Table(players, number)
        assert table.room.match is not None
        match = table.room.match.evolve(state=state.evolve(**changes))
        other.room, other.now = table.room.evolve(match=match), table.now
        return {player: other.everything_for(player) for player in present(other)}

    other_hand = redealt(cards=dealt + to_come + hand)
    assert {player for player in seen if other_hand[player] != seen[player]} == {author}
    reserves = state.reserves[::-1]
    assert redealt(cards=dealt + hand + to_come[::-1], reserves=reserves) == seen


def test_ae_2_an_unchosen_card_is_never_shown() -> None:
    """No text of the other card, nor of the other twists, is in anybody's view of the round."""
    table = Table(5).start()
    while not table.over:
        offered = table.match(table.who(table.author))["private"]["cards"]
        texts = {
            (twist["a"], twist["b"])
            for number, card in enumerate(offered)
            for twist in card["twists"]
            if (number, twist["twist"]) != (1, 2)
        }
        shown = offered[1]["twists"][2]
        texts.discard((shown["a"], shown["b"]))
        table.publish(1, 2)
        for _ in range(2):
            for player in present(table):
                said = json.dumps(table.view(player), ensure_ascii=False)
                assert shown["a"] in said
                assert not any(a in said and b in said for a, b in texts)
                assert offered[1]["card"] not in said
            table.wait()


def test_only_the_author_sees_the_cards() -> None:
    table = Table(12).start()
    hands: list[Seat] = []
    for player in present(table):
        private = table.match(player)["private"]
        if private is not None and "cards" in private:
            seat = table.member(player).seat
            assert seat is not None
            hands.append(seat)
    assert hands == [table.state.author]


def test_the_seed_of_a_round_is_forgotten() -> None:
    table = Table(3).start()
    seeds = set()
    for _ in range(6):
        assert table.room.match is not None
        seeds.add(table.room.match.seed)
        table.wait()
    assert len(seeds) == 6
