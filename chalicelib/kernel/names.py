"""What a name may be (API.md, "Endpoints"): refused, never stripped, when it is not one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from .faults import Unfit

NOBODY: Final = "—"
"""What is shown for somebody who has been forgotten."""

MAX_CODE_POINTS: Final = 20
MAX_BYTES: Final = 64
_ZWJ: Final = "\u200d"
_VS16: Final = "\ufe0f"
_REFUSED: Final = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
_UNSEEN: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159\U00016fe4"
) | frozenset(map(chr, (*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0))))
"""Letters and marks by category that show nothing: with one, two names would look the same."""


def checked(name: str) -> str:
    """The name in NFC. Raises `Unfit` with the reason."""
    if any(unicodedata.category(char) == "Cs" for char in name):
        raise Unfit("name-characters")
    name = unicodedata.normalize("NFC", name)
    if not 1 <= len(name) <= MAX_CODE_POINTS or len(name.encode()) > MAX_BYTES:
        raise Unfit("name-length", most=MAX_CODE_POINTS, bytes=MAX_BYTES)
    if name[0].isspace() or name[-1].isspace():
        raise Unfit("name-edges")
    marks = 0
    for index, char in enumerate(name):
        if char == _ZWJ and _joins(name, index):
            continue
        if char == _VS16:
            if index and unicodedata.category(name[index - 1]) in ("So", "Sm", "Po"):
                continue
            raise Unfit("name-selector")
        category = unicodedata.category(char)
        if category in _REFUSED or char in _UNSEEN or (category == "Zs" and char != " "):
            raise Unfit("name-characters")
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > 2:
            raise Unfit("name-marks")
    if name == NOBODY or not any(unicodedata.category(char)[0] in "LNSP" for char in name):
        raise Unfit("name-unseen", nobody=NOBODY)
    return name


def _joins(name: str, index: int) -> bool:
    """A zero-width joiner between two emoji, as in a family."""
    before = name[:index].rstrip(_VS16)[-1:]
    after = name[index + 1 : index + 2]
    return all(
        char and (unicodedata.category(char) in ("So", "Sk", "Sm")) for char in (before, after)
    )


Name = Annotated[
    str,
    AfterValidator(checked),
    Field(
        description=(
            f"In NFC 1 to {MAX_CODE_POINTS} characters and at most {MAX_BYTES} bytes of UTF-8; no "
            "control, format or invisible characters, no space at either end. In public rooms a "
            "filter for profanity besides."
        ),
        json_schema_extra={"minLength": 1, "maxLength": MAX_CODE_POINTS},
    ),
]


def alike(name: str) -> str:
    """What two names that people would confuse have in common."""
    shown = name.replace(_ZWJ, "").replace(_VS16, "")
    return unicodedata.normalize("NFKC", shown).casefold()


def told_apart(name: str, taken: Iterable[str]) -> str:
    """`name`, with a visible number if somebody in the room is called so already."""
    others = {alike(other) for other in taken}
    number = 1
    shown = name
    while alike(shown) in others:
        number += 1
        suffix = f" {number}"
        shown = name
        while len(shown + suffix) > MAX_CODE_POINTS or len((shown + suffix).encode()) > MAX_BYTES:
            shown = shown[:-1]
        shown = shown.rstrip() + suffix
    return shown
