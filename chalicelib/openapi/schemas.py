"""The models of the wire as JSON schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from .. import wire
from ..http import Route
from .tables import SCHEMAS, Schema, plain


def schemas_of(routes: Sequence[Route]) -> dict[str, Schema]:
    """Every model that a route takes or gives, and what these are made of. What comes in is
    closed; what goes out may grow."""
    taken = {route.takes for route in routes if route.takes}
    named = {"Problem", *taken, *(route.gives for route in routes if route.gives)}
    adapters = [(name, "validation", TypeAdapter(wire.MODELS[name])) for name in sorted(named)]
    # pydantic asks for a list of exactly its own literals, where a name and a mode are enough
    _, found = TypeAdapter.json_schemas(adapters, ref_template=SCHEMAS + "{model}")  # type: ignore[arg-type]
    schemas: dict[str, Schema] = found["$defs"]
    closed = set(_reached(schemas, taken))
    for name, schema in schemas.items():
        _tidy(schema)
        if name not in closed:
            _open(schema)
    return dict(sorted(schemas.items()))


def _reached(schemas: Mapping[str, Schema], names: set[str]) -> Iterator[str]:
    todo, seen = list(names), set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            yield name
            todo += re.findall(rf'"{SCHEMAS}(\w+)"', json.dumps(schemas[name]))


def _open(schema: Schema) -> None:
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]
    for inner in schema.get("properties", {}).values():
        inner.pop("default", None)


def _tidy(schema: Any) -> None:
    """Without titles that repeat a name, with the width of instants, in plain words."""
    if isinstance(schema, list):
        for each in schema:
            _tidy(each)
    if not isinstance(schema, dict):
        return
    for name, inner in schema.get("properties", {}).items():
        inner.pop("title", None)
        if inner.get("default", ...) is None:
            del inner["default"]
        if name.endswith("_at") or name in ("server_now", "decision"):
            _widen(inner)
    if "description" in schema and isinstance(schema["description"], str):
        schema["description"] = plain(schema["description"])
    for inner in schema.values():
        _tidy(inner)


def _widen(schema: Schema) -> None:
    for each in [schema, *schema.get("anyOf", [])]:
        if each.get("type") == "integer":
            each["format"] = "int64"
