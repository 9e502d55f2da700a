"""Text for a terminal: what is shown is a list of sections, at most so many columns wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from prompt_toolkit.utils import get_cwidth

JOINERS = "\u200d\ufe0f"
"""What holds an emoji together, and is no letter of its own."""


class Section(NamedTuple):
    """A piece of the screen. It is shown again when anything of it has changed."""

    key: str
    title: str
    lines: tuple[str, ...] = ()
    decision: int = 0
    """For what asks for an answer: the same words for another decision are news."""


def fresh(before: Sequence[Section], after: Sequence[Section]) -> list[Section]:
    """The sections that were not on the screen as they are."""
    known = {each.key: each for each in before}
    return [each for each in after if known.get(each.key) != each]


def printable(text: str) -> str:
    """The text without anything that would steer the terminal."""
    return "".join(c if c.isprintable() or c in JOINERS else "?" for c in text)


def plain(text: str) -> str:
    """For comparing what is typed: without accents, case or edges."""
    apart = unicodedata.normalize("NFD", text.strip().casefold())
    return "".join(c for c in apart if not unicodedata.combining(c))


def fold(text: str, width: int) -> list[str]:
    """The text as printable lines, broken between words; what goes on hangs under an indent."""
    text = printable(text)
    if get_cwidth(text) <= width:
        return [text]
    indent = len(text) - len(text.lstrip(" "))
    lines, line = [], ""
    for word in text.strip(" ").split(" "):
        longer = f"{line} {word}" if line else " " * indent + word
        if line and get_cwidth(longer) > width:
            lines.append(line)
            line = " " * (indent + 2) + word
        else:
            line = longer
    return [*lines, line]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines, each column as wide as its widest cell; a row may stop early."""
    widest: dict[int, int] = {}
    for row in rows:
        for at, cell in enumerate(row[:-1]):
            widest[at] = max(widest.get(at, 0), get_cwidth(printable(cell)))
    lines = []
    for row in rows:
        cells = [
            cell + " " * (widest[at] - get_cwidth(printable(cell)))
            for at, cell in enumerate(row[:-1])
        ]
        lines.append("  ".join([*cells, *row[-1:]]).rstrip())
    return lines


def clock(milliseconds: int) -> str:
    """Minutes and seconds, rounded up: 0:00 is over."""
    seconds = max(0, -(-milliseconds // 1_000))
    return f"{seconds // 60}:{seconds % 60:02}"
