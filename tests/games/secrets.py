"""What a viewer may not know, game by game: for each, another state that must look the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from chalicelib.games.almost_even.model import State as AlmostEven
from chalicelib.games.liars_dice.model import State as LiarsDice
from chalicelib.kernel.model import Seat
from tests.games.crossed_coordinates.disguise import crossed_coordinates

Disguise = Callable[[Any, Seat | None, st.DataObject], Any]


def liars_dice(state: LiarsDice, viewer: Seat | None, data: st.DataObject) -> LiarsDice:
    """Others' dice, while they are covered: before the call, and in a void round for good."""
    if state.reveal is not None and state.reveal.kind in ("challenge", "exact"):
        return state
    cups = st.text("123456", min_size=5, max_size=5)
    dice = tuple(
        cup if seat == viewer or not cup else data.draw(cups, "cup")
        for seat, cup in enumerate(state.dice)
    )
    return state.evolve(dice=dice)


def almost_even(state: AlmostEven, viewer: Seat | None, data: st.DataObject) -> AlmostEven:
    """Who voted what until the reveal; and cards, but the own hand, until they are published."""
    known = 2 * state.round
    if state.phase == "author" and viewer != state.author:
        known -= 2
    cards = state.cards[:known] + tuple(data.draw(st.permutations(state.cards[known:]), "cards"))
    reserves = state.reserves[: state.shown] + tuple(reversed(state.reserves[state.shown :]))
    votes = state.votes
    if state.phase == "vote":
        votes = "".join(
            data.draw(st.sampled_from("ab"), "vote") if mark in "ab" and seat != viewer else mark
            for seat, mark in enumerate(votes)
        )
    return state.evolve(cards=cards, reserves=reserves, votes=votes)


DISGUISES: Mapping[str, Disguise] = {
    "almost-even": almost_even,
    "crossed-coordinates": crossed_coordinates,
    "liars-dice": liars_dice,
}
