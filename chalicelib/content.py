"""Texts by game and language: loaded when first needed, once per process (ARCHITECTURE 8)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, Final

LOCALES: Final = ("es", "en")
"""Spanish is the source language."""


class Catalogue(Mapping[str, Any]):
    """The texts of one package in one language. `catalogue["words"]` is `words/es.json` of the
    package, `catalogue["atlas/q01"]` is `atlas/es/q01.json`."""

    def __init__(self, package: str, locale: str) -> None:
        self._root = files(package)
        self._locale = locale
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._loaded:
            folder, _, name = key.partition("/")
            path = f"{folder}/{self._locale}" + (f"/{name}" if name else "")
            self._loaded[key] = json.loads((self._root / f"{path}.json").read_text("utf-8"))
        return self._loaded[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)


@cache
def of_game(game: str, locale: str) -> Catalogue:
    """The texts of the game with this key."""
    return Catalogue(f"{__package__}.games.{game.replace('-', '_')}", locale)


@cache
def of_service(locale: str) -> Catalogue:
    """The service's own texts: errors and notices."""
    return Catalogue(f"{__package__}", locale)


def sentence(
    reason: str | None, params: Mapping[str, str | int], games: Iterable[str], locale: str
) -> str | None:
    """Why something is refused: in the service's words, or in those of the game that has some;
    None if nobody has."""
    service = of_service(locale)["words"]
    catalogues = chain(
        (service[group] for group in ("reasons", "signatures", "fields")),
        (of_game(game, locale)["words"]["reasons"] for game in games),
    )
    found = next((each[reason] for each in catalogues if reason in each), None)
    return found and str(found.format(**params))


def push_text(kind: str, game: str, locale: str) -> dict[str, str]:
    """Title and body of a notice: which game, and what it is about, and nothing more."""
    words = of_service(locale)["words"]["push"]
    name = of_game(game, locale)["words"]["name"]
    return {"title": words[kind]["title"].format(game=name), "body": words[kind]["body"]}
