"""What every game's screen is made from: a view, and who sits where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from .text import Section
from .words import Words

View: TypeAlias = dict[str, Any]
Action: TypeAlias = dict[str, Any]


class Bad(NamedTuple):
    """What was typed makes no move; `key` names the sentence that says how one is made."""

    key: str


class Screen(NamedTuple):
    """How one game looks, and how what is typed becomes its actions."""

    sections: Callable[[View, Words], list[Section]]
    ask: Callable[[View, Words], str]
    """What the person is asked for, if it is their move."""
    moves: frozenset[str]
    """The game's actions; typed without one of them, the arguments say which is meant."""
    move: Callable[[str, Sequence[str], View], Action | Bad]
    end: Callable[[View, Words], list[str]] = lambda *_: []
    """What there is to say when the match is over, besides who came where."""


def still_in(view: View) -> bool:
    """Has whoever looks a seat in a running match, and a life where lives are at stake?"""
    match, seat = view["match"], view["you"]["seat"]
    if match is None or match["outcome"] is not None or seat is None:
        return False
    players = match["public"].get("players", ())
    return all(each["alive"] for each in players if each["seat"] == seat)


def name_of(view: View, seat: int | None, words: Words) -> str:
    """Who sits there; the own name is marked."""
    for each in view["room"]["members"]:
        if each["seat"] is not None and each["seat"] == seat:
            return marked(view, each, words)
    return "?"


def marked(view: View, member: dict[str, Any], words: Words) -> str:
    name: str = member["name"]
    if member["player_id"] == view["you"]["player_id"]:
        return words.text("own-name", name=name)
    return name


def names_of(view: View, seats: Sequence[int], words: Words) -> str:
    return ", ".join(name_of(view, seat, words) for seat in seats)


def number(text: str, most: int) -> int | None:
    """A typed number from 1 to `most`."""
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    return value if 1 <= value <= most else None
