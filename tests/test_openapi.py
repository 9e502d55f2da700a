"""The OpenAPI document: committed as it is made, made from one table, and true of every answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest
from openapi_spec_validator import validate
from pydantic import create_model

from chalicelib import wire
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.endpoints import RELEASE
from chalicelib.http import STATUS, Answer, Call, Route
from chalicelib.openapi import Undescribed, document
from chalicelib.routes import ROUTES
from infra.local import embedded
from infra.local.openapi import FILE, as_text
from tests.agreement import contract
from tests.scene import Scene
from tests.test_rude_input import ADDRESSES, BODIES, MOVES, ROOMS, SIGNATURES, Rude
from tests.world import Person, Reply, World

PLAYERS: Final = {"liars-dice": 3, "almost-even": 4, "crossed-coordinates": 5}
SHORTENED: Final = {
    "liars-dice": {"reveal"},
    "almost-even": {"reveal"},
    "crossed-coordinates": {"council", "reveal"},
}
"""Phases that a host may `continue`."""


def made(routes: tuple[Route, ...] = ROUTES) -> dict[str, Any]:
    return document(routes, RELEASE)


# --- one table, one document -------------------------------------------------------------------


def test_it_is_an_openapi_document() -> None:
    validate(made())


def test_it_is_committed_as_it_is_made() -> None:
    assert FILE.read_text("utf-8") == as_text(made()), "run `make openapi`"


def test_it_is_served_and_may_be_kept(world: World) -> None:
    reply = world.send("GET", "/v1/openapi.json")
    assert reply.body == json.loads(FILE.read_text("utf-8"))
    assert reply.headers["Cache-Control"] == "public, max-age=300"
    contract().check("GET", "/v1/openapi.json", reply)


def changed(monkeypatch: pytest.MonkeyPatch, name: str, **fields: Any) -> None:
    model = create_model(name, __base__=wire.MODELS[name], **fields)
    monkeypatch.setitem(wire.MODELS, name, model)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"mood": (str, ...)}, id="a field more"),
        pytest.param({"status": (str, ...)}, id="a field of another type"),
    ],
)
def test_a_changed_model_drifts(monkeypatch: pytest.MonkeyPatch, fields: Any) -> None:
    changed(monkeypatch, "Health", **fields)
    assert as_text(made()) != FILE.read_text("utf-8")


def undocumented(call: Call) -> Answer:
    return Answer(200)


def described(call: Call) -> Answer:
    """Words enough"""
    return Answer(200)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"run": undocumented}, id="no words"),
        pytest.param({"gives": ""}, id="no model of the answer"),
        pytest.param({"gives": "Nonsense"}, id="a model that there is not"),
        pytest.param({"method": "POST"}, id="no model of the body"),
        pytest.param({"status": 204}, id="a body where there is none"),
    ],
)
def test_a_route_without_words_or_models_has_no_document(changes: Any) -> None:
    route = Route(method="GET", path="/v1/new", run=described, gives="Health")
    assert "/v1/new" in made((*ROUTES, route))["paths"]
    with pytest.raises(Undescribed):
        made((*ROUTES, replace(route, **changes)))


def test_every_route_is_in_it_and_nothing_else() -> None:
    told = {
        (method.upper(), path)
        for path, operations in made()["paths"].items()
        for method in operations
    }
    assert told == {(route.method, route.path) for route in ROUTES}


def test_every_code_is_in_it() -> None:
    text = as_text(made()["paths"]) + as_text(made()["components"]["responses"])
    assert [code for code in STATUS if f'"{code}": {{' not in text] == []
    assert made()["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == [*STATUS]


def test_instants_are_64_bits_wide() -> None:
    def instants(schema: Any) -> list[Any]:
        if isinstance(schema, list):
            return [found for each in schema for found in instants(each)]
        if not isinstance(schema, dict):
            return []
        found = [found for each in schema.values() for found in instants(each)]
        own = schema.get("properties", {})
        return found + [own[name] for name in own if name.endswith("_at") or name == "server_now"]

    found = instants(made()["components"]["schemas"])
    assert len(found) > 10
    assert all('"int64"' in json.dumps(each) for each in found)


# --- what the app says -------------------------------------------------------------------------


class Watched(World):
    """A world in which every answer is held against the document."""

    def send(self, method: str, path: str, headers: Any = None, raw: bytes | None = None) -> Reply:
        reply = super().send(method, path, headers, raw)
        contract().check(method, path, reply)
        return reply


@pytest.fixture
def watched(moto: embedded.Locked, tables: dict[str, str]) -> Watched:
    """Lists come from the real store."""
    return Watched(players=DynamoPlayers(moto, tables["PlayersTable"]))


def dice(view: Any) -> dict[str, Any]:
    bids = view["match"]["public"]["bids"]
    if len(bids) == 1:
        return {"type": "exact"}
    return {"type": "challenge"} if bids else {"type": "bid", "quantity": 2, "face": 3}


def evens(view: Any) -> dict[str, Any]:
    if view["match"]["phase"] == "vote":
        return {"type": "vote", "side": "a" if view["you"]["seat"] % 2 else "b"}
    card = view["match"]["private"]["cards"][1]
    return {"type": "publish", "card": card["card"], "twist": card["twists"][2]["twist"]}


def places(view: Any) -> dict[str, Any]:
    match = view["match"]
    if match["phase"] == "study":
        return {"type": "ready"}
    if match["phase"] == "encode":
        traits = match["private"]["traits"]
        return {"type": "signal", "traits": [traits[0]["trait"], traits[1]["trait"]]}
    signal = match["public"]["signals"][0]["signal"]
    place = match["public"]["candidates"][0]["place"]
    return {"type": "ballot", "place": place, "signal": signal}


MOVES_OF: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    "liars-dice": dice,
    "almost-even": evens,
    "crossed-coordinates": places,
}


def play(
    world: World, game: str, first: Callable[[Person, str], object] = lambda host, code: None
) -> tuple[str, list[Person]]:
    """A whole match, with somebody who watches and somebody who never answers; everybody looks
    at everything, in both languages, after whatever the host does `first`."""
    people = [world.person(f"Person {number}") for number in range(PLAYERS[game])]
    watcher = world.person("Watcher")
    body = {"game": game, "visibility": "private", "name": "Person 0", "entropy": "rain"}
    code = str(people[0].send("POST", "/v1/rooms", body).body["room"]["code"])
    for person in people[1:]:
        person.join(code)
    people[0].act(code, "start", match=1)
    watcher.join(code)
    for _ in range(200):
        first(people[0], code)
        for person in (*people, watcher):
            view = person.read(code, locale="es").body
        if view["match"]["outcome"] is not None:
            return code, people
        for person in people:
            view = person.view(code)
            if view["match"]["your_move"] and person is not people[-1]:
                action = MOVES_OF[game](view)
                person.act(code, action.pop("type"), view["match"]["decision"], **action)
        world.clock.wait(9)
    raise AssertionError("it does not end")


@pytest.mark.parametrize("game", PLAYERS)
def test_whole_matches_and_what_is_left_of_them_are_as_documented(
    watched: Watched, game: str
) -> None:
    code, people = play(watched, game)
    host = people[0]
    assert host.send("GET", f"/v1/rooms/{code}/matches/1").status == 200
    view = host.read(code)
    assert host.read(code, view.etag).status == 304
    for path in ("", "/rooms", "/results", "/results?limit=1", "/export"):
        assert host.send("GET", f"/v1/me{path}").status == 200
    assert host.send("GET", "/v1/me/results").body["items"][0]["code"] == code
    assert host.send("PATCH", "/v1/me", {"name": "Ana", "locale": "es"}).status == 200
    assert watched.send("GET", f"/v1/players/{host.id}").status == 200
    assert people[1].act(code, "leave").body["view"] is None
    assert host.send("DELETE", "/v1/me").status == 204


@pytest.mark.parametrize("game", PLAYERS)
def test_a_host_continues_where_it_says(watched: Watched, game: str) -> None:
    phases: dict[str, set[str]] = {}

    def hurry(host: Person, code: str) -> None:
        match = host.view(code)["match"]
        reply = host.act(code, "continue", match["decision"])
        phases.setdefault(match["phase"], set()).add(reply.code)

    play(watched, game, hurry)
    phases.pop("over", None)
    assert {each for each in phases if "illegal-action" not in phases[each]} == SHORTENED[game]
    told = made()["components"]["schemas"]["ContinueAction"]["description"]
    guide = (FILE.parent / "client-guide.md").read_text("utf-8")
    assert all(f"`{phase}`" in text for phase in SHORTENED[game] for text in (told, guide))


def test_catalogues_and_lists_are_as_documented(watched: Watched) -> None:
    host, other = watched.person("Ana"), watched.person("Bo")
    for game in PLAYERS:
        assert watched.send("GET", f"/v1/games/{game}/rules").status == 200
        body = {"game": game, "visibility": "public", "name": "Ana"}
        assert host.send("POST", "/v1/rooms", body).status == 201
    for path in ("health", "games", "games/liars-dice/odds", "leaderboard", "rooms"):
        assert watched.send("GET", f"/v1/{path}").status == 200
    assert len(watched.send("GET", "/v1/rooms").body["items"]) == 3
    report = {"reason": "name"}
    assert other.send("POST", f"/v1/players/{host.id}/reports", report).status == 201
    device = {"platform": "fcm", "token": "a" * 20}
    assert host.send("PUT", "/v1/me/push/phone-1", device).status in (204, 400)
    assert host.send("DELETE", "/v1/me/push/phone-1").status == 204


@pytest.mark.parametrize("case", [*BODIES, *MOVES, *SIGNATURES, *ADDRESSES, *ROOMS])
def test_refusals_are_as_documented(case: Rude, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(standing_bid=case.standing_bid)
    replies: list[tuple[str, str, Reply]] = []
    send = World.handle

    def watching(world: World, event: Any) -> Reply:
        reply = send(world, event)
        path = event["rawPath"]
        replies.append((event["requestContext"]["http"]["method"], path, reply))
        return reply

    monkeypatch.setattr(World, "handle", watching)
    case.send(scene)
    for reply in replies:
        contract().check(*reply)


def test_an_answer_that_says_more_or_less_is_a_fault(world: World) -> None:
    reply = world.send("GET", "/v1/health")
    more = reply._replace(text=json.dumps(reply.body | {"mood": "good"}))
    less = reply._replace(text=json.dumps({"status": "ok"}))
    other = reply._replace(status=201)
    for fault in (more, less, other, reply._replace(headers={**reply.headers, "Mood": "good"})):
        assert contract().faults("GET", "/v1/health", fault)
    assert not contract().faults("GET", "/v1/health", reply)


def test_examples_are_what_the_schemas_say() -> None:
    found = 0
    for operations in made()["paths"].values():
        for operation in operations.values():
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            for body in bodies:
                for media in body.get("content", {}).values():
                    name = media["schema"]["$ref"].rpartition("/")[2]
                    for example in media.get("examples", {}).values():
                        found += 1
                        assert contract().schema_faults(name, example["value"]) == []
    assert found > 30
