"""Behind any gateway the app is the same: a function URL, an HTTP API, a REST API, with a stage
in the path or without (chalicelib/gateway.py)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Protocol

import pytest

from chalicelib import content
from chalicelib.games import GAMES
from tests.world import AUTHORITY, DiceRoom, Reply, World, event, fresh_key


class Gateway(Protocol):
    """The event for a request whose path on the wire is `wire`."""

    stage: str

    def __call__(
        self, method: str, wire: str, headers: Mapping[str, str], raw: bytes | None
    ) -> dict[str, Any]: ...


class FunctionUrl:
    stage = ""

    def __call__(
        self, method: str, wire: str, headers: Mapping[str, str], raw: bytes | None
    ) -> dict[str, Any]:
        return event(method, wire, headers, raw)


class HttpApi:
    """Payload 2.0 behind a named stage, which the path shows; a text body comes as it is."""

    stage = "/api"

    def __call__(
        self, method: str, wire: str, headers: Mapping[str, str], raw: bytes | None
    ) -> dict[str, Any]:
        made = event(method, wire, headers, raw)
        made["requestContext"]["stage"] = "api"
        return made | {"body": raw.decode() if raw else None, "isBase64Encoded": False}


class RestApi:
    """Payload 1.0: the path without the stage, each header and parameter as a list."""

    stage = "/api"

    def __call__(
        self, method: str, wire: str, headers: Mapping[str, str], raw: bytes | None
    ) -> dict[str, Any]:
        path, _, query = wire.partition("?")
        pairs = [pair.split("=") for pair in query.split("&") if pair]
        return {
            "resource": "/{proxy+}",
            "path": path.removeprefix(self.stage),
            "httpMethod": method,
            "headers": dict(headers),
            "multiValueHeaders": {name: [value] for name, value in headers.items()},
            "queryStringParameters": dict(pairs) or None,
            "multiValueQueryStringParameters": {name: [value] for name, value in pairs} or None,
            "requestContext": {
                "path": path,
                "stage": "api",
                "domainName": AUTHORITY,
                "identity": {"sourceIp": "192.0.2.7"},
            },
            "body": base64.b64encode(raw).decode() if raw else None,
            "isBase64Encoded": True,
        }


@pytest.fixture(params=[FunctionUrl(), HttpApi(), RestApi()], ids=lambda each: type(each).__name__)
def gateway(request: pytest.FixtureRequest) -> Gateway:
    made: Gateway = request.param
    return made


@pytest.fixture
def room(world: World) -> DiceRoom:
    return DiceRoom(world, 2).start()


def signed(room: DiceRoom, gateway: Gateway, method: str, path: str, body: Any = None) -> Reply:
    """Whoever is on turn sends this through the gateway."""
    wire, raw = gateway.stage + path, None if body is None else json.dumps(body).encode()
    key = fresh_key() if method == "POST" else None
    url, created = f"https://{AUTHORITY}{wire}", room.world.clock.real() // 1_000
    headers = room.on_turn.device.sign(method, url, raw, key, created=created)
    return room.world.handle(gateway(method, wire, headers | {"Accept-Language": "en"}, raw))


def test_a_signed_look_is_a_look(room: DiceRoom, gateway: Gateway) -> None:
    reply = signed(room, gateway, "GET", f"/v1/rooms/{room.code}")
    assert reply == room.on_turn.read(room.code)


def test_a_signed_action_is_an_action(room: DiceRoom, gateway: Gateway) -> None:
    body = {"decision": 1, "action": {"type": "bid", "quantity": 1, "face": 2}}
    assert signed(room, gateway, "POST", room.path, body).status == 200
    assert room.decision == 2


def test_signed_query_parameters_are_taken(room: DiceRoom, gateway: Gateway) -> None:
    reply = signed(room, gateway, "GET", f"/v1/rooms/{room.code}?a=1&b=x~y")
    assert reply.status == 200, reply.text


def test_the_path_without_its_stage_is_not_what_was_signed(
    room: DiceRoom, gateway: Gateway
) -> None:
    wire = f"/v1/rooms/{room.code}"
    other = f"https://{AUTHORITY}{'' if gateway.stage else '/api'}{wire}"
    headers = room.host.device.sign("GET", other, created=room.world.clock.real() // 1_000)
    reply = room.world.handle(gateway("GET", gateway.stage + wire, headers, None))
    assert reply.code == "signature-invalid"


def test_unknown_paths_wrong_methods_and_preflights_are_the_apps_to_answer(
    world: World, gateway: Gateway
) -> None:
    def told(method: str, path: str) -> Reply:
        return world.handle(gateway(method, gateway.stage + path, {}, None))

    assert told("GET", "/v1/chess").code == "not-found"
    assert told("GET", "/").code == "not-found"
    assert told("DELETE", "/v1/health").headers["Allow"] == "GET, OPTIONS"
    assert told("OPTIONS", "/v1/rooms").status == 204
    assert told("GET", "/v1/health").status == 200


def test_a_query_reaches_what_is_not_signed(world: World, gateway: Gateway) -> None:
    wire = f"{gateway.stage}/v1/games/liars-dice/odds?unknown_dice=5"
    tables = world.handle(gateway("GET", wire, {}, None)).body["tables"]
    assert {table["unknown_dice"] for table in tables} == {5}


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/health", "GET, OPTIONS"),
        ("/v1/rooms/ABCDEF/actions", "POST, OPTIONS"),
        ("/v1/games/liars-dice/odds", "GET, OPTIONS"),
    ],
)
def test_each_path_says_what_it_takes(world: World, path: str, allowed: str) -> None:
    assert world.send("TRACE", path).headers["Allow"] == allowed
    assert world.send("OPTIONS", path).headers["Access-Control-Allow-Methods"] == allowed


def test_catalogues_may_be_kept_and_speak_the_language_asked_for(world: World) -> None:
    for path in ("/v1/games", "/v1/games/liars-dice/rules"):
        texts = {}
        for locale in ("es", "en"):
            reply = world.send("GET", path, {"Accept-Language": locale})
            assert reply.headers["Cache-Control"] == "public, max-age=300"
            assert reply.headers["Vary"] == "Accept-Language"
            texts[locale] = reply.text
        assert texts["es"] != texts["en"]


@pytest.mark.parametrize("locale", content.LOCALES)
def test_the_settings_are_a_form_in_the_callers_language(world: World, locale: str) -> None:
    """Every setting has its words, and only those: nothing of the code's own English."""
    reply = world.send("GET", "/v1/games", {"Accept-Language": locale})
    for item in reply.body["items"]:
        settings = GAMES[item["game"]].Settings.model_fields
        words = content.of_game(item["game"], locale)["words"]["settings"]
        form = item["settings"]
        assert set(form) == {"type", "additionalProperties", "properties"}
        assert set(form["properties"]) == set(settings) == set(words)
        for name, field in form["properties"].items():
            assert {"title": field["title"], "description": field["description"]} == words[name]
            assert field["default"] == settings[name].default
