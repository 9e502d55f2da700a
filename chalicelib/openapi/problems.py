"""Which problems an operation can answer with, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .. import content
from ..http import STATUS, Route
from .tables import EVERYWHERE, SCHEMAS, UNSIGNED, WAITS, headers

WITH_A_VIEW: Final = (403, 409, 422, 429, 503)
"""Where members of the room get the fresh one."""
FAULTS: Final = {"bad-json": "twice", "bad-request": "missing", "invalid-action": "missing"}
"""What errors of a problem may be about, in an example."""


def problems(route: Route) -> dict[str, tuple[str, ...]]:
    """Status -> codes, in the order of the catalogue."""
    codes = {*EVERYWHERE, *route.codes}
    if route.signed:
        codes.update(UNSIGNED)
    if route.signed and route.method == "POST":
        codes.add("idempotency-key-missing")
    if "{" in route.path:
        codes.add("not-found")
    if route.takes:
        codes.add("bad-json")
    in_a_room = "invalid-action" in codes
    if route.query or not route.signed or (route.takes and not in_a_room):
        codes.add("bad-request")
    found: dict[str, tuple[str, ...]] = {}
    for code, status in STATUS.items():
        if code in codes:
            found[str(status)] = (*found.get(str(status), ()), code)
    return found


def is_shared(codes: tuple[str, ...]) -> bool:
    return len(codes) == 1 or codes == UNSIGNED


def name_of(codes: tuple[str, ...]) -> str:
    if codes == UNSIGNED:
        return "Unsigned"
    return "".join(part.capitalize() for part in codes[0].split("-"))


def problem(codes: tuple[str, ...]) -> dict[str, Any]:
    words = content.of_service("en")["words"]["problems"]
    names = ["Server-Now", "Cache-Control"]
    names += ["Allow"] * ("method-not-allowed" in codes)
    names += ["Retry-After"] * bool(set(codes) & set(WAITS))
    names += ["Poll-After-Ms"] * (STATUS[codes[0]] in WITH_A_VIEW)
    sentences = "; ".join(f"`{code}`: {words[code]['title'].lower()}" for code in codes)
    return {
        "description": f"{sentences}.",
        "headers": headers(*names),
        "content": {
            "application/problem+json": {
                "schema": {"$ref": f"{SCHEMAS}Problem"},
                "examples": {code: {"value": _example(code, words[code])} for code in codes},
            }
        },
        "x-codes": list(codes),
    }


def _example(code: str, words: Mapping[str, str]) -> dict[str, Any]:
    example: dict[str, Any] = {
        "type": f"urn:sobremesa:problem:{code}",
        "code": code,
        "title": words["title"],
        "status": STATUS[code],
        "detail": words["detail"],
        "server_now": 1_800_000_000_000,
    }
    if code in WAITS:
        example["retry_after_ms"] = 2_300
    if code in FAULTS:
        fields = content.of_service("en")["words"]["fields"]
        example["errors"] = [{"pointer": "/action/quantity", "detail": fields[FAULTS[code]]}]
    return example
