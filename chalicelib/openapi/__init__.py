"""The OpenAPI 3.1 document, from the table of routes and the models of `wire`. Nothing that serves
a request imports this; `/v1/openapi.json` does when first asked."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from .. import wire
from ..http import MAX_BODY, Route
from .problems import is_shared, name_of, problem, problems
from .schemas import schemas_of
from .tables import (
    HEADERS_IN,
    HEADERS_OUT,
    PATH,
    QUERY,
    SCHEMAS,
    TAG_OF,
    TAGS,
    Schema,
    header_key,
    headers,
    plain,
)

Paths = dict[str, dict[str, Any]]


class Undescribed(Exception):  # names what happened
    """A route that the document cannot describe."""


def document(routes: Sequence[Route], release: str) -> dict[str, Any]:
    """The whole document. Raises `Undescribed` for a route without words or models."""
    for route in routes:
        _check(route)
    schemas = schemas_of(routes)
    examples = json.loads(_text("examples.json"))
    paths: Paths = {}
    for route in routes:
        operation = _operation(route, examples.get(_id(route), {}))
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    shared = [codes for route in routes for codes in problems(route).values()]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sobremesa",
            "version": release,
            "summary": "Three party games on phones",
            "description": _text("about.md"),
            "contact": {"name": "Sobremesa"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [
            {
                "url": "http://{host}",
                "description": "`make run`",
                "variables": {"host": {"default": "127.0.0.1:8000"}},
            }
        ],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": {
                name: {"in": "header", "required": False, **header}
                for name, header in HEADERS_IN.items()
            },
            "headers": {header_key(name): header for name, header in HEADERS_OUT.items()},
            "responses": {name_of(codes): problem(codes) for codes in shared if is_shared(codes)},
            "securitySchemes": {
                name: {"type": "apiKey", "in": "header", "name": header, "description": text}
                for name, header, text in (
                    ("signature", "Signature", _text("signatures.md")),
                    ("signatureInput", "Signature-Input", "What is signed: see `signature`."),
                    ("contentDigest", "Content-Digest", "The body's SHA-256: see `signature`."),
                )
            },
        },
    }


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8").strip()


def _check(route: Route) -> None:
    where = f"{route.method} {route.path}"
    if not inspect.getdoc(route.run):
        raise Undescribed(f"{where} has no words")
    for model in filter(None, (route.gives, route.takes)):
        if model not in wire.MODELS:
            raise Undescribed(f"{where}: there is no model {model!r}")
    if (route.status == 204) != (route.gives == ""):
        raise Undescribed(f"{where} has no model of what it gives")
    if (route.method in ("POST", "PUT", "PATCH")) != bool(route.takes):
        raise Undescribed(f"{where} has no model of what it takes")


# --- operations --------------------------------------------------------------------------------


def _id(route: Route) -> str:
    head, *rest = route.run.__name__.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _operation(route: Route, example: Mapping[str, Any]) -> dict[str, Any]:
    summary, _, description = (inspect.getdoc(route.run) or "").partition("\n")
    segment = route.path.split("/")[2]
    operation: dict[str, Any] = {
        "operationId": _id(route),
        "tags": [TAG_OF.get(segment, segment)],
        "summary": summary,
        "description": " ".join(description.split()) or f"{summary}.",
        "parameters": list(_parameters(route)),
        "responses": _responses(route, example),
        "security": [],
    }
    if route.takes:
        media = {"schema": {"$ref": f"{SCHEMAS}{route.takes}"}}
        if "request" in example:
            media["examples"] = example["request"]
        operation["requestBody"] = {
            "description": f"At most {MAX_BODY} bytes.",
            "required": True,
            "content": {"application/json": media},
        }
    if route.signed:
        names = ("signature", "signatureInput", *(("contentDigest",) if route.takes else ()))
        operation["security"] = [{name: [] for name in names}]
    return operation


def _parameters(route: Route) -> Iterator[Schema]:
    for name in re.findall(r"{(\w+)}", route.path):
        yield {"name": name, "in": "path", "required": True, **PATH[name]}
    for name in route.query:
        yield {"name": name, "in": "query", "required": False, **QUERY[name]}
    names = ["AcceptLanguage"]
    names += ["IdempotencyKey"] * (route.method == "POST")
    names += ["IfNoneMatch"] * _is_polled(route)
    for name in names:
        yield {"$ref": f"#/components/parameters/{name}"}


def _is_polled(route: Route) -> bool:
    return route.method == "GET" and route.gives == "View"


def _responses(route: Route, example: Mapping[str, Any]) -> dict[str, Any]:
    names = ["Server-Now", "Cache-Control"]
    names += ["Vary"] * route.catalogue
    names += ["ETag", "Poll-After-Ms"] * (route.gives in ("View", "Acted"))
    success: dict[str, Any] = {"description": "Done.", "headers": headers(*names)}
    if route.takes and route.gives in ("View", "Acted"):
        success["headers"] |= headers("Idempotency-Replayed")
    if route.gives:
        success["description"] = wire.MODELS[route.gives].__doc__ or f"A {route.gives.lower()}."
        success["description"] = plain(success["description"])
        media = {"schema": {"$ref": f"{SCHEMAS}{route.gives}"}}
        if "answer" in example:
            media["examples"] = example["answer"]
        success["content"] = {"application/json": media}
    if route.status == 201 and route.gives == "View":
        success["links"] = {
            name: {
                "operationId": name,
                "parameters": {"code": "$response.body#/room/code"},
                "description": "The room that was opened.",
            }
            for name in ("readRoom", "act")
        }
    responses: dict[str, Any] = {str(route.status): success}
    if _is_polled(route):
        names = ["Server-Now", "Cache-Control", "ETag", "Poll-After-Ms"]
        responses["304"] = {
            "description": "Nothing has moved since that ETag.",
            "headers": headers(*names),
        }
    for status, codes in problems(route).items():
        shared = is_shared(codes)
        ref = {"$ref": f"#/components/responses/{name_of(codes)}"}
        responses[status] = ref if shared else problem(codes)
    return responses
