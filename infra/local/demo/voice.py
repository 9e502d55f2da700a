"""How the story is told: sentences from a catalogue, at most 100 columns, colour for terminals."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

WIDTH = 100
WORDS = Path(__file__).parent / "words"
LOCALES = ("en", "es")

Style = Literal["plain", "strong", "faint", "good", "bad"]
CODES: Mapping[Style, str] = {"plain": "", "strong": "1", "faint": "2", "good": "32", "bad": "31"}


def catalogue(name: str, locale: str) -> dict[str, Any]:
    """One file of words: the name of a game, or `common`."""
    words: dict[str, Any] = json.loads((WORDS / f"{name}.{locale}.json").read_text("utf-8"))
    return words


class Voice:
    """Says sentences of one game in one language."""

    def __init__(self, game: str, locale: str) -> None:
        self.locale = locale
        self.words = {**catalogue("common", locale), **catalogue(game, locale)}
        self._colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def text(self, key: str, **values: Any) -> str:
        """A sentence with its gaps filled in and a capital letter in front."""
        sentence: str = self.words[key].format(**values)
        return sentence[:1].upper() + sentence[1:]

    def say(self, key: str, *, indent: int = 0, style: Style = "plain", **values: Any) -> None:
        self.show(self.text(key, **values), indent=indent, style=style)

    def show(self, text: str, *, indent: int = 0, style: Style = "plain") -> None:
        """`text` is on the screen, broken between words; under an indent, what goes on hangs."""
        left = " " * indent
        lines = textwrap.wrap(
            text,
            WIDTH,
            initial_indent=left,
            subsequent_indent=left + "  " if left else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines or [""]:
            self.line(line, style)

    def line(self, line: str = "", style: Style = "plain") -> None:
        """The line as it is."""
        code = CODES[style] if self._colour else ""
        print(f"\x1b[{code}m{line}\x1b[0m" if code and line else line, flush=True)

    def row(self, parts: Sequence[str], *, indent: int = 0) -> None:
        """The parts side by side, as many a line as there is room for."""
        lines, gap = [""], "   "
        for part in parts:
            longer = f"{lines[-1]}{gap}{part}" if lines[-1] else part
            if lines[-1] and indent + len(longer) > WIDTH:
                lines.append(part)
            else:
                lines[-1] = longer
        for line in lines:
            self.line(" " * indent + line)

    def number(self, n: int) -> str:
        """In words, as far as the catalogue counts."""
        numbers: list[str] = self.words["numbers"]
        return numbers[n] if n < len(numbers) else str(n)

    def plural(self, key: str, n: int) -> str:
        """The form of `key` that goes with `n`."""
        form: str = self.words[key]["one" if n == 1 else "other"]
        return form.format(n=self.number(n))

    def listed(self, items: Sequence[str]) -> str:
        """Ada, Bruno and Clara."""
        if len(items) < 2:
            return "".join(items)
        return f"{', '.join(items[:-1])} {self.words['and']} {items[-1]}"
