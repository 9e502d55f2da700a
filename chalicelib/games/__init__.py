"""All games by key: the one line that a new game adds outside its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from ..kernel.match import AnyGame, Games


class _Lazily(Mapping[str, AnyGame]):
    """Games, each imported when first asked for: a cold start pays for what is played."""

    def __init__(self, *keys: str) -> None:
        self._keys = keys
        self._here: dict[str, AnyGame] = {}

    def __getitem__(self, key: str) -> AnyGame:
        if key not in self._here:
            if key not in self._keys:
                raise KeyError(key)
            self._here[key] = import_module(f".{key.replace('-', '_')}", __name__).GAME
        return self._here[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


GAMES: Final[Games] = _Lazily("almost-even", "liars-dice", "crossed-coordinates")
