"""Anything at all: no bytes, no header, no address breaks the service, and no error repeats what
was sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalicelib.games import GAMES
from chalicelib.kernel.lobby import VERBS
from tests.scene import Scene, called, check_problem, create, patch
from tests.world import Person, Reply, event

CANARY = "canary-5d0e"


def echoes(scene: Scene) -> Mapping[str, Reply]:
    """Requests that all carry the canary where a careless error would repeat it."""
    bid = scene.body(quantity=4, face=4)
    return {
        "a value of the wrong type": scene.post(scene.body(quantity=CANARY, face=4)),
        "a decision": scene.post(bid | {"decision": CANARY}),
        "an action": scene.post({"action": CANARY}),
        "a type": scene.post(scene.body(CANARY)),
        "a name": scene.sol.act(scene.code, "join", name=f"\x00{CANARY}"),
        "entropy": scene.turn.act(scene.code, "entropy", value=f"\n{CANARY}"),
        "a kick": scene.room.host.act(scene.code, "kick", player_id=CANARY),
        "broken JSON": scene.post(raw=f'{{"{CANARY}": "{CANARY}'.encode()),
        "a setting": create(settings={"bullets": CANARY})(scene),
        "a game": create(game=CANARY)(scene),
        "a locale": patch({"locale": CANARY})(scene),
        "a path": scene.world.send("GET", f"/v1/{CANARY}"),
        "a code": scene.turn.read(CANARY),
        "a game's rules": scene.world.send("GET", f"/v1/games/{CANARY}/rules"),
        "a query": scene.world.send("GET", f"/v1/games/liars-dice/odds?unknown_dice={CANARY}"),
        "a method": scene.world.send(CANARY, "/v1/health"),
        "a content type": scene.fair_with(content_type=CANARY),
        "a key": scene.fair_with(idempotency_key=f" {CANARY}"),
        "a language": scene.turn.read("ZZZZZZ", locale=CANARY),
        "a digest": scene.fair_with(content_digest=CANARY),
        "a signature": scene.fair_with(signature=f'sig1="{CANARY}"'),
        "a keyid": scene.as_if(called(scene.turn.device, f"ed25519:{CANARY}")),
        "a host": scene.world.handle(
            event("GET", "/v1/me", {"Host": CANARY, **scene.signed()}, authority=CANARY)
        ),
    }


def test_no_error_repeats_what_was_sent() -> None:
    replies = echoes(Scene())
    assert [what for what, reply in replies.items() if reply.status < 400] == []
    assert [what for what, reply in replies.items() if CANARY in str(reply)] == []


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["", "bid", "join", "leave", "liars-dice", "private", "\ud800", "\x00"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
KINDS = [*VERBS, *(kind for game in GAMES.values() for kind in game.actions), "publish", "ballot"]
FIELDS = ["name", "entropy", "value", "game", "settings", "match", "player_id", "quantity", "face"]


def an_action(kind: str, fields: dict[str, Any], rest: dict[str, Any]) -> dict[str, Any]:
    return {"action": {"type": kind, **fields}, **rest}


ACTIONS = st.builds(
    an_action,
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=3),
    st.fixed_dictionaries({}, optional={"decision": st.integers(-2, 4) | VALUES}),
)
BYTES = st.binary(max_size=300) | (VALUES | ACTIONS).map(lambda value: json.dumps(value).encode())
ANYTHING = settings(
    max_examples=150,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@cache
def fuzzed() -> Scene:
    """One scene for many requests: whoever sends them may change it."""
    return Scene()


def check_answer(reply: Reply) -> None:
    """Never a 500; and every refusal is a whole problem."""
    assert reply.status < 500, reply.text
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert reply.headers["Server-Now"].isdigit()
    if reply.status >= 400:
        check_problem(reply)


@ANYTHING
@given(BYTES, st.sampled_from(["actions", "rooms", "me"]), st.booleans())
def test_no_body_breaks_the_service(body: bytes, where: str, host: bool) -> None:
    scene = fuzzed()
    who: Person = scene.room.host if host else scene.sol
    path = {"actions": scene.path, "rooms": "/v1/rooms", "me": "/v1/me"}[where]
    check_answer(who.send("PATCH" if where == "me" else "POST", path, raw=body))


HEADERS = [
    "Signature",
    "Signature-Input",
    "Content-Digest",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "Accept-Language",
    "Accept",
    "Host",
    "Content-Length",
]
LINES = st.text(max_size=60) | st.text('sig1=:;()"@, abc0?.', max_size=60)


@ANYTHING
@given(st.dictionaries(st.sampled_from(HEADERS), LINES, max_size=4), st.booleans())
def test_no_header_breaks_the_service(headers: dict[str, str], post: bool) -> None:
    scene = fuzzed()
    if post:
        check_answer(scene.fair_with(**headers))
    else:
        check_answer(scene.turn.send("GET", f"/v1/rooms/{scene.code}", headers=headers))


@ANYTHING
@given(
    st.sampled_from(["GET", "POST", "PUT", "OPTIONS", "HEAD", "\n", ""]) | st.text(max_size=5),
    st.text(max_size=40) | st.text("/v1rooms%2F.?=&", max_size=40).map(lambda text: f"/v1/{text}"),
)
def test_no_address_breaks_the_service(method: str, path: str) -> None:
    check_answer(fuzzed().world.send(method, path))
