"""The client's own words; whatever belongs to a game's content comes from the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .text import plain

FOLDER = Path(__file__).parent / "words"
LOCALES = ("en", "es")


class Words:
    """One language."""

    def __init__(self, locale: str) -> None:
        catalogue = json.loads((FOLDER / f"{locale}.json").read_text("utf-8"))
        self.texts: dict[str, Any] = catalogue["texts"]
        self.commands: dict[str, dict[str, Any]] = catalogue["commands"]
        self._verbs: dict[str, str] = {}
        for verb, command in self.commands.items():
            for name in (verb, *command["also"]):
                self._verbs[plain(name)] = verb

    def text(self, key: str, **values: Any) -> str:
        """The text with its gaps filled in."""
        found: str = self.texts[key]
        return found.format(**values)

    def named(self, kind: str, value: str) -> str:
        """The word for a value of the API; one that is not known here stays as it is."""
        found: str = self.texts.get(f"{kind}.{value}", value)
        return found

    def count(self, key: str, n: int, **values: Any) -> str:
        """The form of `key` that goes with `n`, with its gaps filled in."""
        form: str = self.texts[key]["one" if n == 1 else "other"]
        return form.format(n=n, **values)

    def is_yes(self, typed: str) -> bool:
        return plain(typed) in (plain(self.text("yes")), "yes")

    def verb(self, word: str) -> str | None:
        """The command that a typed word stands for, in this language or as the API calls it."""
        return self._verbs.get(plain(word))
