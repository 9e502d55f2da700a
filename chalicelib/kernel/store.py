"""A room as one JSON text and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic_core import from_json

from .errors import TryAgain
from .match import Games
from .room import Room

SCHEMA: Final = 1
"""The stored form's number; `UPGRADES[n]` turns form n into n + 1."""

UPGRADES: Final[Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {}


def dump(room: Room) -> str:
    """The room as stored: what equals its default is left out."""
    return room.model_dump_json(exclude_defaults=True)


def load(doc: str | bytes, games: Games, schema: int = SCHEMA) -> Room:
    """The room that `dump` wrote, by this release or an earlier one. Raises `TryAgain` for a later
    one's: while a release goes out, it is for the next function to answer."""
    if schema > SCHEMA:
        raise TryAgain
    raw = from_json(doc)
    for number in range(schema, SCHEMA):
        raw = UPGRADES[number](raw)
    match = raw.get("match")
    if match is not None:
        match["state"] = games[match["game"]].State.model_validate(match["state"])
    return Room.model_validate(raw)
