"""The deck's ids by content number: what is dealt and stored are numbers, what is shown are ids.

The lists are append-only, so a number keeps its meaning for ever; no text is loaded here.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def ids() -> dict[str, tuple[str, ...]]:
    """`cards` and `reserves` of `deck/ids.json`, in the order of their numbers."""
    raw = json.loads((files(__package__) / "deck/ids.json").read_text("utf-8"))
    return {deck: tuple(names) for deck, names in raw.items()}


def card(number: int) -> str:
    """The id of an editorial card."""
    return ids()["cards"][number]


def reserve(number: int) -> str:
    """The id of a reserve."""
    return ids()["reserves"][number]
