"""Bots: legal, quick enough, of different tempers, and no wiser than their seat."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.games.almost_even import GAME
from chalicelib.games.almost_even.bots import TEMPERS, bot, temper
from chalicelib.games.almost_even.model import Ballot, Hand, Public, Publish, View, Vote
from chalicelib.kernel.draws import Draws

from .table import Table, seed


def seen(private: Hand | Ballot, order: tuple[int, ...] = (2, 0, 1)) -> View:
    public = Public(
        round=1, rounds=6, author=order[0], order=order, dilemma=None, scores=(), reveal=None
    )
    return View(public=public, private=private)


@settings(max_examples=25, deadline=None)
@given(bots=st.integers(2, 11), number=st.integers(0, 1_000))
def test_bots_play_a_match_to_its_end(bots: int, number: int) -> None:
    """All the seats but the host's, who never stirs."""
    table = Table(1, number, bots=bots).start()
    published = 0
    while not table.over:
        bot_author = table.member(table.who(table.author)).bot
        table.settle(table.now + 4_000)
        assert (table.question.phase == "author") is not bot_author
        published += bot_author
        if not bot_author:
            table.wait()
        human_votes = bot_author
        table.settle(table.now + 4_000)
        assert (table.question.phase == "vote") is human_votes
        assert len(table.state.marked("ab")) == len(table.state.active) - 1 - human_votes
        if human_votes:
            table.wait()
        table.wait()
    said = table.summary()
    assert said["status"] == "completed"
    assert published == bots * (2 if bots < 5 else 1)
    assert len(table.state.active) == bots + 1, "no bot was made to leave"


def test_a_bot_publishes_any_of_the_six() -> None:
    published: Counter[tuple[str, int]] = Counter()
    for n in range(300):
        action = bot(seen(Hand(cards=("ae-x", "ae-y"))), "author", 2, Draws(seed("bot", n)))
        assert isinstance(action, Publish)
        published[action.card, action.twist] += 1
    assert set(published) == {(card, twist) for card in ("ae-x", "ae-y") for twist in range(3)}
    assert min(published.values()) > 20


def shares(seats: range) -> list[int]:
    """How many of 200 votes each seat gives to side a, in one match."""
    order = tuple(reversed(seats))
    found = []
    for seat in seats:
        view, votes = seen(Ballot(vote=None), order), 0
        for n in range(200):
            action = bot(view, "vote", seat, Draws(seed("vote", n)).fork(seat))
            assert isinstance(action, Vote)
            votes += action.side == "a"
        found.append(votes)
    return found


def test_every_bot_has_a_temper_of_its_own_through_the_match() -> None:
    seats = range(12)
    view = seen(Ballot(vote=None), tuple(reversed(seats)))
    for seat, votes in zip(seats, shares(seats), strict=True):
        assert abs(votes / 2 - temper(view, seat)) < 12
    assert len({temper(view, seat) for seat in seats}) > 2


def test_tempers_change_from_match_to_match_and_favour_no_side() -> None:
    found = Counter(
        temper(seen(Ballot(vote=None), Draws(seed("order", n)).shuffled(range(3), "o")), seat)
        for n in range(40)
        for seat in range(3)
    )
    assert len(found) > 2
    assert sum(TEMPERS) == 50 * len(TEMPERS)


def test_a_bot_sees_only_its_view() -> None:
    """The same view gives the same move, whatever the rest of the state is."""
    table = Table(3).start().play("publish a1")
    state = table.state
    other = state.evolve(
        votes=state.votes.replace("a", "b"), cards=tuple(reversed(state.cards)), dilemma=None
    ).evolve(dilemma=state.dilemma)
    seat = table.seat(2)
    moves = [
        GAME.bot(GAME.view(each, seat), "vote", seat, Draws(seed("same")))
        for each in (state, other)
    ]
    assert moves[0] == moves[1]
