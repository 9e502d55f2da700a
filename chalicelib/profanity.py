"""Names that strangers read: public rooms take none that is an insult in Spanish or English."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from .kernel.errors import IllegalAction
from .kernel.room import Visibility

PEOPLE: Final = ["analia", "analía", "annal", "concha", "cumming", "dick", "fanny", "willy"]
"""Names of people that the library's lists hold too."""
MISSING: Final = [
    *("cabrones", "capullo", "chingada", "culera", "culero", "fuckyou", "gonorrea"),
    *("hijadeputa", "hijodeputa", "hijueputa", "malparida", "malparido", "mamón", "pelotuda"),
    *("pelotudo", "pendeja", "pendejo", "puto", "putas", "putos", "putón", "subnormal", "whore"),
    *("wanker", "zorra"),
]
"""What those lists lack."""


@cache
def _filter() -> Any:
    from glin_profanity import Filter  # 160 ms: only where a public room is concerned

    return Filter(
        {
            "languages": ["english", "spanish"],
            "whitelist": PEOPLE,
            "custom_words": MISSING,
            "detect_leetspeak": True,
        }
    )


def is_fit(name: str) -> bool:
    """Strangers may read it."""
    return not _filter().is_profane(name)


def fit_for_public(visibility: Visibility, name: str | None) -> None:
    """Raises `IllegalAction` for a name that a public room does not take."""
    if visibility == "public" and name and not is_fit(name):
        raise IllegalAction("name-not-for-public")
