"""What the server offers: the games by key, as GET /v1/games presents them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias


class Setting(NamedTuple):
    """What a host may choose; `kind` is its JSON type."""

    title: str
    kind: str


class Offer(NamedTuple):
    """A game as the server presents it."""

    name: str
    settings: Mapping[str, Setting]


Offers: TypeAlias = Mapping[str, Offer]


def offers(items: Any) -> dict[str, Offer]:
    """What GET /v1/games lists."""
    return {
        each["game"]: Offer(
            each["name"],
            {
                name: Setting(kind.get("title", name), kind.get("type", ""))
                for name, kind in each["settings"]["properties"].items()
            },
        )
        for each in items
    }


def settings_of(game: str, known: Offers) -> Mapping[str, Setting]:
    return known[game].settings if game in known else {}
