"""What is wrong with what was sent: where and why, in no language. The catalogues have the words.

Nothing here repeats what was sent, but for the names of fields in a pointer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic import ValidationError


class Fault(NamedTuple):
    """One place that is wrong."""

    pointer: str
    """A JSON pointer, or `?name` of a query parameter."""
    reason: str
    """Names a sentence in the catalogues; `params` fill its gaps."""
    params: Mapping[str, str | int] = MappingProxyType({})


class Unfit(ValueError):
    """What a validator of ours says to a value; `reason` and `params` are those of its fault."""

    def __init__(self, reason: str, **params: str | int) -> None:
        super().__init__(reason, params)
        self.reason = reason
        self.params = params


WRONG: Final = "wrong-value"
"""The reason of what has no other."""

REASONS: Final[Mapping[str, str]] = {
    "missing": "missing",
    "extra_forbidden": "unknown-field",
    "model_type": "object",
    "dict_type": "object",
    "list_type": "list",
    "string_type": "text",
    "int_type": "whole-number",
    "bool_type": "true-or-false",
    "literal_error": "one-of",
    "greater_than_equal": "at-least",
    "less_than_equal": "at-most",
    "less_than": "below",
    "string_too_short": "too-short",
    "too_short": "too-short",
    "string_too_long": "too-long",
    "too_long": "too-long",
    "string_pattern_mismatch": "printable",
}
"""Pydantic's types of errors -> ours; gaps are called as in its contexts. Every pattern of ours is
one of printable characters."""


def one_of(pointer: str, values: Iterable[str]) -> Fault:
    """Something else than one of these is there, or nothing."""
    return Fault(pointer, "one-of", {"expected": ", ".join(values)})


def faults(problem: ValidationError, under: str = "") -> tuple[Fault, ...]:
    """Every fault that pydantic found in the value at `under`."""
    return tuple(
        _fault("/".join([under, *map(_escaped, error["loc"])]), error["type"], error.get("ctx", {}))
        for error in problem.errors(include_url=False, include_input=False)
    )


def _fault(pointer: str, kind: str, context: Mapping[str, Any]) -> Fault:
    said = context.get("error")
    if isinstance(said, Unfit):
        return Fault(pointer, said.reason, said.params)
    reason = REASONS.get(kind, WRONG)
    if reason == "one-of":  # 'a', 'b' or 'c', in English
        return one_of(pointer, re.findall("'([^']*)'", context["expected"]))
    return Fault(pointer, reason, context)


def _escaped(part: str | int) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")
