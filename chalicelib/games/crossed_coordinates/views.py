"""What a seat or an observer sees of crossed coordinates: the own fragment and receipts until the
round is scored, the anonymous signals, and sums."""

from __future__ import annotations

from typing import Any

from ...kernel.game import Catalogue
from ...kernel.model import Seat
from . import atlas
from .model import (
    PLACE_IDS,
    SIGNAL_IDS,
    TRAIT_IDS,
    Private,
    Public,
    SeenBallot,
    SeenFragment,
    SeenPoints,
    SeenReveal,
    SeenSignal,
    State,
    View,
)


def view(state: State, seat: Seat | None) -> View:
    """Nothing public depends on who did what (CC-5, CC-10)."""
    return View(
        public=Public(
            quartet=state.quartet,
            round=state.round,
            signals=tuple(
                SeenSignal(signal=SIGNAL_IDS[number], traits=_traits(pair))
                for number, pair in enumerate(state.signals)
            ),
            score=state.score,
            rounds=tuple(
                SeenPoints(
                    place=points.place,
                    noise=points.noise,
                    alignment=points.alignment,
                    points=points.total,
                )
                for points in state.rounds
            ),
            reveal=_reveal(state),
        ),
        private=None if seat is None else _private(state, seat),
    )


def _traits(numbers: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(TRAIT_IDS[number] for number in numbers)


def _private(state: State, seat: Seat) -> Private | None:
    """None to who was not dealt or has left, and to all once the round is scored (CC-10)."""
    if seat in state.left or not state.hands or not state.hands[seat]:
        return None
    pair = state.sent[seat] if state.sent else ()
    ballot = state.ballots[seat] if state.ballots else ()
    return Private(
        fragment=state.fragments[seat],
        traits=_traits(state.hands[seat]),
        signal=_traits(pair) if pair else None,
        ballot=_ballot(ballot) if ballot else None,
    )


def _ballot(ballot: tuple[int, ...]) -> SeenBallot:
    place, *signal = ballot
    return SeenBallot(place=PLACE_IDS[place], signal=SIGNAL_IDS[signal[0]] if signal else None)


def _reveal(state: State) -> SeenReveal | None:
    """Fragments by number, signals by their place in the shuffle: nothing joins the two but the
    flags themselves (CC-10)."""
    if not state.shown:
        return None
    fragments = atlas.quartet(state.quartet).fragments
    points = state.rounds[-1]
    return SeenReveal(
        target=PLACE_IDS[state.target],
        fragments=tuple(
            SeenFragment(fragment=number, place=PLACE_IDS[fragments[number].place])
            for number in state.shown
        ),
        distorted_signals=tuple(SIGNAL_IDS[number] for number in state.distorted),
        place_votes=dict(zip(PLACE_IDS, state.place_votes, strict=True)),
        signal_votes=dict(zip(SIGNAL_IDS, state.signal_votes, strict=False)),
        place_points=points.place,
        noise_points=points.noise,
        alignment_points=points.alignment,
    )


def words(seen: View, catalogue: Catalogue) -> dict[str, Any]:
    """Places, traits and fragments in the viewer's language, from the texts of this round's
    quartet alone."""
    quartet = atlas.quartet(seen.public.quartet)
    texts = catalogue[f"atlas/{quartet.id}"]
    traits = {
        wire: {"trait": wire, "text": texts["traits"][name]}
        for wire, name in zip(TRAIT_IDS, quartet.traits, strict=True)
    }

    def fragment(number: int) -> str:
        text: str = texts["fragments"][quartet.fragments[number].id]
        return text

    said = seen.model_dump(mode="json")
    public, private, reveal = said["public"], said["private"], seen.public.reveal
    del public["quartet"]
    public["candidates"] = [
        {"place": wire, **texts["places"][name]}
        for wire, name in zip(PLACE_IDS, quartet.places, strict=True)
    ]
    for signal in public["signals"]:
        signal["traits"] = [traits[trait] for trait in signal["traits"]]
    if reveal is not None:
        public["reveal"]["fragments"] = [
            {"text": fragment(each.fragment), "place": each.place} for each in reveal.fragments
        ]
    if seen.private is not None:
        private["fragment"] = fragment(seen.private.fragment)
        private["traits"] = [traits[trait] for trait in seen.private.traits]
    return said
