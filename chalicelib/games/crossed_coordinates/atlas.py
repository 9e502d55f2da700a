"""The atlas: quartets of places with their traits and fragments, as numbers (RULES, "Content").

A quartet's number is its position in `atlas/index.json`, which only grows. Numbers of places,
traits and fragments are positions in the quartet's file: what has shipped keeps its order.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Fragment(NamedTuple):
    """A note from a place; its text is in the catalogues."""

    id: str
    place: int
    traits: tuple[int, ...]


class Quartet(NamedTuple):
    """Four places that are the candidates of one round."""

    id: str
    places: tuple[str, ...]
    traits: tuple[str, ...]
    fits: tuple[frozenset[int], ...]
    """By trait: the places that it is true of."""
    fragments: tuple[Fragment, ...]

    def of(self, place: int) -> tuple[int, ...]:
        """The fragments of one place, by number."""
        return tuple(
            number for number, fragment in enumerate(self.fragments) if fragment.place == place
        )


@cache
def index() -> tuple[str, ...]:
    """Ids of the quartets by number."""
    return tuple(_read("index"))


@cache
def quartet(number: int) -> Quartet:
    """The quartet with this number, read when first needed."""
    name = index()[number]
    raw = _read(name)
    places = {place: position for position, place in enumerate(raw["places"])}
    traits = {trait["id"]: position for position, trait in enumerate(raw["traits"])}
    return Quartet(
        id=name,
        places=tuple(places),
        traits=tuple(traits),
        fits=tuple(frozenset(places[place] for place in t["places"]) for t in raw["traits"]),
        fragments=tuple(
            Fragment(
                id=each["id"],
                place=places[each["place"]],
                traits=tuple(traits[trait] for trait in each["traits"]),
            )
            for each in raw["fragments"]
        ),
    )


def _read(name: str) -> Any:
    return json.loads((files(__package__) / "atlas" / f"{name}.json").read_text("utf-8"))
