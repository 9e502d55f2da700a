"""Any gateway's event as the one that Chalice routes: REST and HTTP APIs, a function URL, and the
server on a laptop. Unknown paths, wrong methods and preflights reach the app too, so that every
answer is the app's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

OWN: Final = "/{unmatched}"
"""The route of requests that match no other; `unmatched` says why."""

Routes = Mapping[str, Sequence[str]]
"""Path template -> methods."""


def rest_event(event: Mapping[str, Any], routes: Routes) -> dict[str, Any]:
    """`event` as a REST API event with the matching route's `resourcePath`, or `OWN` with
    `unmatched` = `not-found`, `method-not-allowed` or `preflight`."""
    context = event["requestContext"]
    if "http" in context:  # payload format 2.0
        method, wire = context["http"]["method"], event["rawPath"]
        path = wire.removeprefix(f"/{context.get('stage', '$default')}")
        pairs = parse_qsl(event.get("rawQueryString", ""), keep_blank_values=True)
        source = context["http"].get("sourceIp", "")
        headers: dict[str, str] = dict(event.get("headers") or {})
    else:
        method, path = event["httpMethod"], event["path"]
        wire = context.get("path", path)
        query = event.get("multiValueQueryStringParameters") or {}
        pairs = [(name, value) for name, values in query.items() for value in values]
        source = context.get("identity", {}).get("sourceIp", "")
        many = event.get("multiValueHeaders") or {}
        headers = {name: ", ".join(values) for name, values in many.items()}
        headers = headers or dict(event.get("headers") or {})
    route, parameters, allowed = _matched(path or "/", method, routes)
    multi: dict[str, list[str]] = {}
    for name, value in pairs:
        multi.setdefault(name, []).append(value)
    return {
        "requestContext": {
            "httpMethod": method if route != OWN else "GET",
            "resourcePath": route,
            "path": wire,
            "domainName": context.get("domainName"),
            "identity": {"sourceIp": source},
            "requestId": context.get("requestId", ""),
        },
        "headers": headers,
        "multiValueQueryStringParameters": multi or None,
        "pathParameters": parameters,
        "allowed": allowed,
        "body": event.get("body"),
        "isBase64Encoded": event.get("isBase64Encoded", False),
        "stageVariables": None,
    }


def _matched(path: str, method: str, routes: Routes) -> tuple[str, dict[str, str], str]:
    """(template, parameters, the methods that the path takes)."""
    parts = path.split("/")
    for template in sorted(routes):  # a literal segment sorts before a parameter
        parameters = _parameters(template.split("/"), parts)
        if parameters is None:
            continue
        allowed = ", ".join([*routes[template], "OPTIONS"])
        if method in routes[template]:
            return template, parameters, allowed
        reason = "preflight" if method == "OPTIONS" else "method-not-allowed"
        return OWN, {"unmatched": reason}, allowed
    return OWN, {"unmatched": "not-found"}, ""


def _parameters(template: list[str], parts: list[str]) -> dict[str, str] | None:
    if len(template) != len(parts):
        return None
    parameters = {}
    for expected, part in zip(template, parts, strict=True):
        if expected.startswith("{") and part:
            parameters[expected[1:-1]] = unquote(part)
        elif expected != part:
            return None
    return parameters
