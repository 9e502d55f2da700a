"""JSON as API.md takes it: nothing that two readers could read differently."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from .kernel.faults import Fault

MAX_DEPTH: Final = 8


class BadJson(ValueError):  # names what it is
    """Not JSON that this service takes; `fault` says where and why."""

    def __init__(self, pointer: str, reason: str, **params: str | int) -> None:
        super().__init__(pointer, reason, params)
        self.fault = Fault(pointer, reason, params)


class _Pairs(list[tuple[str, Any]]):
    """An object before its names are known to be different."""


def parse(body: bytes) -> Any:
    """The value of `body`. Raises `BadJson` for anything else than one UTF-8 JSON text without
    BOM, duplicate names, NaN, infinities, lone surrogates and more than 8 levels."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise BadJson("", "not-utf-8") from None
    if text.startswith("\ufeff"):
        raise BadJson("", "byte-order-mark")
    try:
        raw = json.loads(text, object_pairs_hook=_Pairs, parse_constant=_refuse)
    except BadJson:
        raise
    except RecursionError:
        raise BadJson("", "too-deep", most=MAX_DEPTH) from None
    except json.JSONDecodeError as problem:
        raise BadJson("", "not-json", place=problem.pos + 1) from None
    except ValueError:  # an integer of thousands of digits
        raise BadJson("", "number-too-large") from None
    return _checked(raw, "", 1)


def _refuse(name: str) -> NoReturn:
    raise BadJson("", "not-a-number", name=name)


def _checked(value: Any, pointer: str, depth: int) -> Any:
    if isinstance(value, (list, _Pairs)) and depth > MAX_DEPTH:
        raise BadJson(pointer, "too-deep", most=MAX_DEPTH)
    if isinstance(value, _Pairs):
        result: dict[str, Any] = {}
        for name, inner in value:
            _well_formed(name, pointer)
            below = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in result:
                raise BadJson(below, "twice")
            result[name] = _checked(inner, below, depth + 1)
        return result
    if isinstance(value, list):
        return [_checked(inner, f"{pointer}/{i}", depth + 1) for i, inner in enumerate(value)]
    if isinstance(value, str):
        _well_formed(value, pointer)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise BadJson(pointer, "number-too-large")
    return value


def _well_formed(text: str, pointer: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise BadJson(pointer, "half-a-pair")
