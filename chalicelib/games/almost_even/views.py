"""What a seat or an observer sees of almost even: no side of anybody else's before the reveal,
and two cards only if they are the own ones."""

from __future__ import annotations

from typing import Any

from ...kernel.game import Catalogue
from ...kernel.model import Seat
from . import cards
from .model import (
    OPEN,
    TWISTS,
    Ballot,
    Hand,
    Public,
    SeenDilemma,
    SeenReveal,
    SeenScore,
    State,
    View,
)
from .rules import rounds, tally


def view(state: State, seat: Seat | None) -> View:
    """Progress only until the reveal (AE-4); the author's cards are the author's (AE-2)."""
    return View(
        public=Public(
            round=state.round,
            rounds=rounds(state),
            author=state.author,
            order=state.order,
            dilemma=_dilemma(state),
            scores=tuple(
                SeenScore(seat=each, points=points) for each, points in enumerate(state.points)
            ),
            reveal=_reveal(state),
        ),
        private=None if seat is None else _private(state, seat),
    )


def _private(state: State, seat: Seat) -> Hand | Ballot:
    if state.phase == "author" and seat == state.author and not state.over:
        return Hand(cards=tuple(map(cards.card, state.hand)))
    mark = state.votes[seat : seat + 1]
    return Ballot(vote="a" if mark == "a" else "b" if mark == "b" else None)


def _dilemma(state: State) -> SeenDilemma | None:
    dilemma = state.dilemma
    if dilemma is None:
        return None
    named = cards.reserve if dilemma.reserve else cards.card
    return SeenDilemma(content=named(dilemma.number), twist=dilemma.twist)


def _reveal(state: State) -> SeenReveal | None:
    if state.phase != "reveal" or state.dilemma is None:
        return None
    counted = tally(state)
    return SeenReveal(
        a=state.marked("a"),
        b=state.marked("b"),
        omitted=state.marked(OPEN),
        accepted=counted.accepted,
        minority=counted.minority,
        ideal=counted.ideal,
        distance=counted.distance,
        points=counted.points,
        reserve=state.dilemma.reserve,
    )


def words(seen: View, catalogue: Catalogue) -> dict[str, Any]:
    """The dilemma and the author's cards in the viewer's language. The public dilemma says
    nothing of the card that it comes from."""
    said = seen.model_dump(mode="json")
    if seen.public.dilemma is not None:
        said["public"]["dilemma"] = _said(seen.public.dilemma, catalogue["deck"])
    if isinstance(seen.private, Hand):
        deck = catalogue["deck"]
        said["private"] = {"cards": [_card(card, deck) for card in seen.private.cards]}
    return said


def _said(dilemma: SeenDilemma, deck: Catalogue) -> dict[str, Any]:
    if dilemma.twist is None:
        text = deck["reserves"][dilemma.content]
        return {"prompt": text["prompt"], "a": text["a"], "b": text["b"], "reserve": True}
    card = deck["cards"][dilemma.content]
    text = card["twists"][dilemma.twist]
    return {"prompt": card["prompt"], "a": text["a"], "b": text["b"], "reserve": False}


def _card(card: str, deck: Catalogue) -> dict[str, Any]:
    """One of the author's cards as three complete dilemmas."""
    prompt, twists = deck["cards"][card]["prompt"], deck["cards"][card]["twists"]
    return {
        "card": card,
        "prompt": prompt,
        "twists": [
            {"twist": twist, "prompt": prompt, "a": twists[twist]["a"], "b": twists[twist]["b"]}
            for twist in range(TWISTS)
        ],
    }
