"""Bots play by the rules, from what their seat sees, and about as well as people."""

from __future__ import annotations

import pytest

from chalicelib.games.crossed_coordinates import GAME, atlas
from chalicelib.games.crossed_coordinates.model import PLACE_IDS, Ballot, Signal
from chalicelib.kernel.draws import Draws

from .table import Table


@pytest.mark.parametrize("bots", [3, 7, 11])
def test_a_match_among_bots_is_played_to_its_end(bots: int) -> None:
    """None fails or plays illegally: then it would have been made to leave."""
    table = Table(1, bots=bots)
    while table.status == "playing":
        assert table.room.match is not None
        assert len(table.room.match.bots) == bots
        if table.phase == "council":
            assert len(table.state.signals) == bots
        table.wait_for_next()
    assert table.room.match is not None
    assert not table.room.match.broken
    assert table.match()["outcome"]["status"] == "completed"


def seeds(count: int) -> list[Draws]:
    return [Draws(bytes(31) + bytes([number])) for number in range(count)]


def test_a_bot_signals_its_own_traits() -> None:
    table = Table(4).until("encode")
    seen = GAME.view(table.state, 2)
    pairs = set()
    for draws in seeds(60):
        signal = GAME.bot(seen, "encode", 2, draws)
        assert isinstance(signal, Signal)
        assert len(set(signal.traits)) == 2
        assert set(signal.traits) <= {each["trait"] for each in table.private(2)["traits"]}
        pairs.add(frozenset(signal.traits))
    assert len(pairs) > 2, "people differ, and so do bots"


def test_bots_are_sometimes_wrong_but_mostly_not() -> None:
    """Over many councils of eight bots: better than chance by far, and worse than the atlas."""
    right = heard = rounds = 0
    for number in range(12):
        table = Table(1, bots=8, master=f"bots {number}").until("ballot")
        state = table.state
        for draws in seeds(8):
            ballot = GAME.bot(GAME.view(state, 0), "ballot", 0, draws)
            assert isinstance(ballot, Ballot)
            right += ballot.place == PLACE_IDS[state.target]
            heard += ballot.signal in [f"s{odd + 1:02}" for odd in state.distorted]
            rounds += 1
    assert 0.45 < right / rounds < 0.95
    assert 0.30 < heard / rounds < 0.90


def test_a_bot_votes_when_nobody_has_signalled() -> None:
    """CC-7: a place only."""
    table = Table(4).until("ballot")
    ballot = GAME.bot(GAME.view(table.state, 1), "ballot", 1, seeds(1)[0])
    assert isinstance(ballot, Ballot)
    assert ballot.place in PLACE_IDS
    assert ballot.signal is None


def test_a_bot_knows_no_more_than_its_view() -> None:
    """Its fragment's origin is in the atlas; it must not look there. With another fragment of the
    same traits in hand, from anywhere, it answers the same."""
    table = Table(8).all_signal().until("ballot")
    state = table.state
    for draws in seeds(20):
        answers = set()
        for fragment in range(len(atlas.quartet(state.quartet).fragments)):
            other = state.evolve(fragments=(fragment, *state.fragments[1:]))
            answers.add(GAME.bot(GAME.view(other, 0), "ballot", 0, draws).model_dump_json())
        assert len(answers) == 1
