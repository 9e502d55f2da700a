"""A first bot: reads signals as people do, now and then wrongly, and sees what its seat sees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from ...kernel.draws import Draws
from ...kernel.model import Model, Seat
from . import atlas
from .model import PLACE_IDS, PLACES, TRAIT_IDS, TRAITS, Ballot, Ready, Signal, View

MISJUDGED: Final = 5
"""One link between a trait and a place in so many is misjudged."""
HASTY: Final = 2
"""One signal in so many is any pair at all."""

Opinion = Sequence[frozenset[int]]
"""By trait: the places that the bot believes it fits."""


def bot(seen: View, phase: str, seat: Seat, draws: Draws) -> Model:
    """A legal answer for `seat`, which is asked."""
    if phase == "study":
        return Ready(type="ready")
    opinion = _opinion(seen.public.quartet, draws)
    if phase == "encode":
        return _signal(seen, opinion, draws)
    return _ballot(seen, opinion, draws)


def _opinion(quartet: int, draws: Draws) -> Opinion:
    """What the bot makes of the atlas: the truth, but for a link in `MISJUDGED`."""
    wrong = draws.rolls(TRAITS * PLACES, MISJUDGED, "opinion")
    return [
        frozenset(
            place
            for place in range(PLACES)
            if (place in fits) != (wrong[trait * PLACES + place] == 0)
        )
        for trait, fits in enumerate(atlas.quartet(quartet).fits)
    ]


def _numbers(traits: Sequence[str]) -> tuple[int, ...]:
    return tuple(map(TRAIT_IDS.index, traits))


def _signal(seen: View, opinion: Opinion, draws: Draws) -> Signal:
    """The pair of the own traits that leaves the fewest candidates, or a hasty one."""
    own = () if seen.private is None else seen.private.traits
    pairs = draws.shuffled(tuple(combinations(own, 2)), "pairs")

    def left(pair: tuple[str, ...]) -> int:
        first, second = _numbers(pair)
        return len(opinion[first] & opinion[second])

    pair = pairs[0] if draws.below(HASTY, "hasty") == 0 else min(pairs, key=left)
    return Signal(type="signal", traits=list(pair))


def _ballot(seen: View, opinion: Opinion, draws: Draws) -> Ballot:
    """The place that most published traits fit, and the signal that fits it least."""
    signals = [(each.signal, _numbers(each.traits)) for each in seen.public.signals]

    def fit(pair: tuple[int, ...], place: int) -> int:
        return sum(place in opinion[trait] for trait in pair)

    places = draws.shuffled(range(PLACES), "places")
    place = max(places, key=lambda each: sum(fit(pair, each) for _, pair in signals))
    suspects = draws.shuffled(signals, "suspects")
    suspect = min(suspects, key=lambda each: fit(each[1], place), default=None)
    return Ballot(
        type="ballot", place=PLACE_IDS[place], signal=None if suspect is None else suspect[0]
    )
