"""Names that strangers read: public rooms take none that is an insult in Spanish or English."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from .kernel.errors import IllegalAction
from .kernel.room import Visibility

PEOPLE: Final = ["concha", "dick", "fanny", "willy"]
"""Given names that the library's lists hold too."""


@cache
def _filter() -> Any:
    from glin_profanity import Filter  # 160 ms: only where a public room is concerned

    return Filter({"languages": ["english", "spanish"], "ignore_words": PEOPLE})


def fit_for_public(visibility: Visibility, name: str | None) -> None:
    """Raises `IllegalAction` for a name that a public room does not take."""
    if visibility == "public" and name and _filter().is_profane(name):
        raise IllegalAction("name-not-for-public")
