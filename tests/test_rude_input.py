"""Whatever somebody sends, the answer is a problem that says what is wrong, and nothing changes.

What can be refused without the store costs no call to it; all the rest costs one read, and a
join another.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

from chalicelib import content
from chalicelib.games import GAMES
from chalicelib.http import MAX_BODY
from chalicelib.kernel.faults import WRONG, Fault
from chalicelib.kernel.verbs import SAFE
from infra.local.device import Device
from tests.scene import Scene, called, check_problem, create, patch
from tests.world import AUTHORITY, Person, Reply, World

EVERY_GAME: Final = "almost-even, liars-dice, crossed-coordinates"
ACTIONS: Final = (
    "join, entropy, observe, leave, claim-host, configure, start, kick, promote, add-bot, "
    "remove-bot, continue, bid, challenge, exact"
)


def not_canonical(device: Device) -> Device:
    """Its keyid with a spare bit set: it decodes to the same key."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = letters[letters.index(device.keyid[-1]) | 1]
    assert last != device.keyid[-1]
    return called(device, device.keyid[:-1] + last)


class InDer(Device):
    """Signs as most libraries do by default."""

    def signature(self, base: bytes) -> bytes:
        assert isinstance(self._key, EllipticCurvePrivateKey)
        return self._key.sign(base, ECDSA(SHA256()))


@dataclass(frozen=True)
class Rude:
    """What is sent, what comes back, how many reads of the room that costs, and what else."""

    sentence: str
    send: Callable[[Scene], Reply]
    says: str
    reads: int = 0
    besides: tuple[str, ...] = ()
    standing_bid: bool = True
    wrong: Fault | None = None
    """The one place that the problem names, if it names any."""


def rude(sentence: str, send: Callable[[Scene], Reply], says: str, *more: Any, **named: Any) -> Any:
    return pytest.param(Rude(sentence, send, says, *more, **named), id=sentence)


def at(pointer: str, reason: str, **params: str | int) -> Fault:
    return Fault(pointer, reason, params)


def raw(body: bytes) -> Callable[[Scene], Reply]:
    return lambda scene: scene.post(raw=body)


BODIES = [
    rude("an empty body", lambda s: s.post(), "400 bad-json", wrong=at("", "not-json", place=1)),
    rude(
        "a body that breaks off",
        raw(b'{"action":{"type":"bid"'),
        "400 bad-json",
        wrong=at("", "not-json", place=24),
    ),
    rude(
        "a body with a comma too many",
        raw(b'{"action":{"type":"leave",}}'),
        "400 bad-json",
        wrong=at("", "not-json", place=27),
    ),
    rude(
        "two values one after the other",
        raw(b"{}{}"),
        "400 bad-json",
        wrong=at("", "not-json", place=3),
    ),
    rude(
        "a body in single quotes",
        raw(b"{'action':{'type':'leave'}}"),
        "400 bad-json",
        wrong=at("", "not-json", place=2),
    ),
    rude(
        "bytes that are not UTF-8",
        raw(b'{"action":{"type":"\xff\xfe"}}'),
        "400 bad-json",
        wrong=at("", "not-utf-8"),
    ),
    rude(
        "a body in UTF-16",
        raw('{"action":{"type":"leave"}}'.encode("utf-16")),
        "400 bad-json",
        wrong=at("", "not-utf-8"),
    ),
    rude(
        "a byte order mark",
        raw(b'\xef\xbb\xbf{"action":{"type":"leave"}}'),
        "400 bad-json",
        wrong=at("", "byte-order-mark"),
    ),
    rude(
        "a name twice",
        raw(b'{"action":{"type":"leave","type":"join"}}'),
        "400 bad-json",
        wrong=at("/action/type", "twice"),
    ),
    rude(
        "a name twice by an escape",
        raw(b'{"action":1,"\\u0061ction":2}'),
        "400 bad-json",
        wrong=at("/action", "twice"),
    ),
    rude(
        "NaN",
        raw(b'{"decision":NaN,"action":{"type":"leave"}}'),
        "400 bad-json",
        wrong=at("", "not-a-number", name="NaN"),
    ),
    rude(
        "Infinity",
        raw(b'{"decision":-Infinity,"action":{"type":"leave"}}'),
        "400 bad-json",
        wrong=at("", "not-a-number", name="-Infinity"),
    ),
    rude(
        "a number that overflows",
        raw(b'{"decision":1e999,"action":{}}'),
        "400 bad-json",
        wrong=at("/decision", "number-too-large"),
    ),
    rude(
        "an integer of 5,000 digits",
        raw(b'{"decision":' + b"9" * 5_000 + b"}"),
        "400 bad-json",
        wrong=at("", "number-too-large"),
    ),
    rude(
        "3,000 nested brackets",
        raw(b"[" * 3_000 + b"]" * 3_000),
        "400 bad-json",
        wrong=at("", "too-deep", most=8),
    ),
    rude(
        "3,000 brackets left open",
        raw(b"[" * 3_000),
        "400 bad-json",
        wrong=at("", "too-deep", most=8),
    ),
    rude(
        "1,300 nested objects",
        raw(b'{"a":' * 1_300 + b"1" + b"}" * 1_300),
        "400 bad-json",
        wrong=at("", "too-deep", most=8),
    ),
    rude(
        "nine levels",
        raw(b'{"action":' + b"[" * 8 + b"]" * 8 + b"}"),
        "400 bad-json",
        wrong=at("/action/0/0/0/0/0/0/0", "too-deep", most=8),
    ),
    rude(
        "half a surrogate pair",
        raw(b'{"action":{"type":"\\ud83d"}}'),
        "400 bad-json",
        wrong=at("/action/type", "half-a-pair"),
    ),
    rude(
        "half a pair as a name",
        raw(b'{"action":{"\\udc00":1}}'),
        "400 bad-json",
        wrong=at("/action", "half-a-pair"),
    ),
    rude(
        "surrogates as bytes",
        raw(b'{"action":"\xed\xa0\x80"}'),
        "400 bad-json",
        wrong=at("", "not-utf-8"),
    ),
    rude("a body of 8,193 bytes", raw(b" " * (MAX_BODY + 1)), "413 too-large"),
    rude("a body of a megabyte", raw(b'{"action":"' + b"a" * 1_000_000 + b'"}'), "413 too-large"),
    rude(
        "a body of 8,192 spaces",
        raw(b" " * MAX_BODY),
        "400 bad-json",
        wrong=at("", "not-json", place=8_193),
    ),
    rude("a list", lambda s: s.post([1]), "422 invalid-action", 1, wrong=at("", "object")),
    rude("null", raw(b"null"), "422 invalid-action", 1, wrong=at("", "object")),
    rude("a string", lambda s: s.post("bid"), "422 invalid-action", 1, wrong=at("", "object")),
    rude(
        "an empty object",
        lambda s: s.post({}),
        "422 invalid-action",
        1,
        wrong=at("/action", "missing"),
    ),
    rude(
        "an action that is text",
        lambda s: s.post({"action": "bid"}),
        "422 invalid-action",
        1,
        wrong=at("/action", "object"),
    ),
    rude(
        "an action without type",
        lambda s: s.post({"action": {}}),
        "422 invalid-action",
        1,
        wrong=at("/action/type", "one-of", expected=ACTIONS),
    ),
    rude(
        "an unknown type",
        lambda s: s.post(s.body("cheat")),
        "422 invalid-action",
        1,
        wrong=at("/action/type", "one-of", expected=ACTIONS),
    ),
    rude(
        "a type that is a list",
        lambda s: s.post({"action": {"type": []}}),
        "422 invalid-action",
        1,
        wrong=at("/action/type", "one-of", expected=ACTIONS),
    ),
    rude(
        "an unknown field beside the action",
        lambda s: s.post(s.body(quantity=4, face=4) | {"dice": [6]}),
        "422 invalid-action",
        1,
        wrong=at("/dice", "unknown-field"),
    ),
    rude(
        "an unknown field in the action",
        lambda s: s.post(s.body(quantity=4, face=4, seat=0)),
        "422 invalid-action",
        1,
        wrong=at("/action/seat", "unknown-field"),
    ),
    rude(
        "a field missing",
        lambda s: s.post(s.body(quantity=4)),
        "422 invalid-action",
        1,
        wrong=at("/action/face", "missing"),
    ),
    rude(
        "no decision",
        lambda s: s.post({"action": {"type": "bid", "quantity": 4, "face": 4}}),
        "422 invalid-action",
        1,
        wrong=at("/decision", "decision-missing"),
    ),
    rude(
        "a decision that is a string",
        lambda s: s.post(s.body(decision="1", quantity=4, face=4)),
        "422 invalid-action",
        1,
        wrong=at("/decision", "whole-number"),
    ),
    rude(
        "a decision that is true",
        lambda s: s.post(s.body(decision=True, quantity=4, face=4)),
        "422 invalid-action",
        1,
        wrong=at("/decision", "whole-number"),
    ),
    rude(
        "a decision of 4,000 digits",
        lambda s: s.post(s.body(decision=int("9" * 4_000), quantity=4, face=4)),
        "422 invalid-action",
        1,
        wrong=at("/decision", "at-most", le=SAFE),
    ),
    rude(
        "a leave with a decision of 4,000 digits",
        lambda s: s.post(s.body("leave", decision=int("9" * 4_000))),
        "422 invalid-action",
        1,
        wrong=at("/decision", "at-most", le=SAFE),
    ),
]

LOOKED_UP = ("profile",)
"""What a join costs besides: a look at who comes."""

MOVES = [
    rude(
        "a quantity that is a string",
        lambda s: s.bid("4", 4),
        "422 invalid-action",
        1,
        wrong=at("/action/quantity", "whole-number"),
    ),
    rude(
        "a quantity of 4.0",
        lambda s: s.bid(4.0, 4),
        "422 invalid-action",
        1,
        wrong=at("/action/quantity", "whole-number"),
    ),
    rude(
        "a quantity of 4.5",
        lambda s: s.bid(4.5, 4),
        "422 invalid-action",
        1,
        wrong=at("/action/quantity", "whole-number"),
    ),
    rude(
        "a quantity that is true",
        lambda s: s.bid(True, 4),
        "422 invalid-action",
        1,
        wrong=at("/action/quantity", "whole-number"),
    ),
    rude(
        "a quantity that is null",
        lambda s: s.bid(None, 4),
        "422 invalid-action",
        1,
        wrong=at("/action/quantity", "whole-number"),
    ),
    rude(
        "a quantity that is a list",
        lambda s: s.bid([4], 4),
        "422 invalid-action",
        1,
        wrong=at("/action/quantity", "whole-number"),
    ),
    rude("a negative quantity", lambda s: s.bid(-4, 4), "422 illegal-action", 1),
    rude("a quantity of nought", lambda s: s.bid(0, 4), "422 illegal-action", 1),
    rude("a quantity of 4,000 digits", lambda s: s.bid(10**3_999, 4), "422 illegal-action", 1),
    rude("more than the dice in play", lambda s: s.bid(16, 4), "422 illegal-action", 1),
    rude("face seven", lambda s: s.bid(4, 7), "422 illegal-action", 1),
    rude("face nought", lambda s: s.bid(4, 0), "422 illegal-action", 1),
    rude("face minus one", lambda s: s.bid(4, -1), "422 illegal-action", 1),
    rude("ones while they are wild", lambda s: s.bid(4, 1), "422 illegal-action", 1),
    rude("fewer dice than the last bid", lambda s: s.bid(2, 6), "422 illegal-action", 1),
    rude("the last bid again", lambda s: s.bid(3, 4), "422 illegal-action", 1),
    rude("as many of a lower face", lambda s: s.bid(3, 2), "422 illegal-action", 1),
    rude(
        "liar before a bid",
        lambda s: s.post(s.body("challenge")),
        "422 illegal-action",
        1,
        standing_bid=False,
    ),
    rude(
        "exact before a bid",
        lambda s: s.post(s.body("exact")),
        "422 illegal-action",
        1,
        standing_bid=False,
    ),
    rude(
        "exact where it is off",
        lambda s: s.post(s.body("exact")),
        "422 illegal-action",
        1,
    ),
    rude(
        "a bid out of turn",
        lambda s: s.waiting.send("POST", s.path, s.body(quantity=4, face=4)),
        "409 not-your-turn",
        1,
    ),
    rude(
        "liar out of turn",
        lambda s: s.waiting.send("POST", s.path, s.body("challenge")),
        "409 not-your-turn",
        1,
    ),
    rude(
        "a bid for the decision before",
        lambda s: s.post(s.body(decision=s.decision - 1, quantity=4, face=4)),
        "409 stale-decision",
        1,
    ),
    rude(
        "a bid for the decision to come",
        lambda s: s.post(s.body(decision=s.decision + 1, quantity=4, face=4)),
        "409 stale-decision",
        1,
    ),
    rude(
        "a bid for a negative decision",
        lambda s: s.post(s.body(decision=-1, quantity=4, face=4)),
        "409 stale-decision",
        1,
    ),
    rude(
        "an observer's bid",
        lambda s: s.oto.send("POST", s.path, s.body(quantity=4, face=4)),
        "403 not-seated",
        1,
    ),
    rude(
        "a kicked player's bid",
        lambda s: s.kit.send("POST", s.path, s.body(quantity=4, face=4)),
        "404 not-found",
        1,
    ),
    rude(
        "a kicked player's join",
        lambda s: s.kit.act(s.code, "join", name="Kit"),
        "404 not-found",
        1,
        LOOKED_UP,
    ),
    rude("a kicked player's look", lambda s: s.kit.read(s.code), "404 not-found", 1),
    rude(
        "a stranger's bid",
        lambda s: s.sol.send("POST", s.path, s.body(quantity=4, face=4)),
        "404 not-found",
        1,
    ),
    rude("a stranger's nonsense", lambda s: s.sol.send("POST", s.path, [1]), "404 not-found", 1),
    rude("a stranger's look", lambda s: s.sol.read(s.code), "404 not-found", 1),
    rude("a stranger's leave", lambda s: s.sol.act(s.code, "leave"), "404 not-found", 1),
    rude("a look into an unknown room", lambda s: s.turn.read("ZZZZZZ"), "404 not-found", 1),
    rude(
        "a join of an unknown room",
        lambda s: s.turn.act("ZZZZZZ", "join", name="Ana"),
        "404 not-found",
        1,
        (*LOOKED_UP, "tally"),
    ),
    rude(
        "a join of a locked room",
        lambda s: s.sol.act(s.elsewhere, "join", name="Sol"),
        "409 room-locked",
        1,
        LOOKED_UP,
    ),
    rude("a code with look-alikes", lambda s: s.turn.read("OIL10U"), "404 not-found"),
    rude("a code that is too long", lambda s: s.turn.read(s.code + "2"), "404 not-found"),
    rude("a code of 2,000 letters", lambda s: s.turn.read("A" * 2_000), "404 not-found"),
    rude(
        "a game action where no match runs",
        lambda s: s.room.host.act(s.elsewhere, "bid", 0, quantity=1, face=2),
        "409 no-match",
        1,
    ),
    rude(
        "a start by a guest",
        lambda s: s.room.guests[0].act(s.code, "start", match=2),
        "403 not-host",
        1,
    ),
    rude(
        "a kick by a guest",
        lambda s: s.room.guests[0].act(s.code, "kick", player_id=s.room.host.id),
        "403 not-host",
        1,
    ),
    rude(
        "a start while a match runs",
        lambda s: s.room.host.act(s.code, "start", match=2),
        "409 match-running",
        1,
    ),
    rude(
        "a start alone",
        lambda s: s.room.host.act(s.elsewhere, "start", match=1),
        "409 too-few-players",
        1,
    ),
    rude(
        "a start of the match after the next",
        lambda s: s.room.host.act(s.elsewhere, "start", match=2),
        "409 stale-decision",
        1,
    ),
    rude(
        "a start of match one point nought",
        lambda s: s.room.host.act(s.elsewhere, "start", match=1.0),
        "422 invalid-action",
        1,
        wrong=at("/action/match", "whole-number"),
    ),
    rude(
        "new settings while a match runs",
        lambda s: s.room.host.act(s.code, "configure", settings={"bullets": 2}),
        "409 match-running",
        1,
    ),
    rude(
        "seven bullets",
        lambda s: s.room.host.act(s.elsewhere, "configure", settings={"bullets": 7}),
        "422 invalid-action",
        1,
        wrong=at("/action/settings/bullets", "at-most", le=5),
    ),
    rude(
        "a game that nobody knows",
        lambda s: s.room.host.act(s.elsewhere, "configure", game="chess"),
        "422 invalid-action",
        1,
        wrong=at("/action/game", "one-of", expected=EVERY_GAME),
    ),
    rude(
        "the host's own kick",
        lambda s: s.room.host.act(s.code, "kick", player_id=s.room.host.id),
        "422 illegal-action",
        1,
    ),
    rude(
        "continue in a turn",
        lambda s: s.room.host.act(s.code, "continue", s.decision),
        "422 illegal-action",
        1,
    ),
    rude(
        "entropy with a line break",
        lambda s: s.turn.act(s.code, "entropy", value="a\n"),
        "422 invalid-action",
        1,
        wrong=at("/action/value", "printable", pattern="^[ -~]*$"),
    ),
    rude(
        "entropy of 65 characters",
        lambda s: s.turn.act(s.code, "entropy", value="a" * 65),
        "422 invalid-action",
        1,
        wrong=at("/action/value", "too-long", max_length=64),
    ),
]


def flipped(scene: Scene) -> Reply:
    """The first byte of the signature is another."""
    given = scene.signed()["Signature"].removeprefix("sig1=:").removesuffix(":")
    bits = bytearray(base64.b64decode(given))
    bits[0] ^= 1
    return scene.fair_with(signature=f"sig1=:{base64.b64encode(bits).decode()}:")


def other_digest(scene: Scene) -> Reply:
    """Signed over one body, sent with another."""
    return scene.world.send("POST", scene.path, scene.signed(), b'{"action":{"type":"leave"}}')


def new_digest(scene: Scene) -> Reply:
    """The body is another and its digest is right, but was not signed."""
    body = b'{"action":{"type":"leave"}}'
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    headers = scene.signed() | {"Content-Digest": f"sha-256=:{digest}:"}
    return scene.world.send("POST", scene.path, headers, body)


def url(path: str) -> str:
    return f"https://{AUTHORITY}{path}"


def sent(scene: Scene, **changes: Any) -> Reply:
    return scene.world.send("POST", scene.path, scene.signed(**changes), scene.fair)


def created(seconds: int) -> Callable[[Scene], Reply]:
    return lambda scene: sent(scene, created=scene.world.clock.real() // 1_000 + seconds)


def without(*names: str) -> Callable[[Scene], Reply]:
    def send(scene: Scene) -> Reply:
        headers = {name: value for name, value in scene.signed().items() if name not in names}
        return scene.world.send("POST", scene.path, headers, scene.fair)

    return send


def keyed(key: str) -> Callable[[Scene], Reply]:
    return lambda scene: sent(scene, idempotency_key=key)


SIGNATURES = [
    rude("no signature", without("Signature", "Signature-Input"), "401 signature-missing"),
    rude("no Signature-Input", without("Signature-Input"), "401 signature-missing"),
    rude("a body without digest", without("Content-Digest"), "401 signature-invalid"),
    rude("a signature with one bit changed", flipped, "401 signature-invalid"),
    rude("the digest of another body", other_digest, "401 digest-mismatch"),
    rude("another body with its digest", new_digest, "401 signature-invalid"),
    rude(
        "a digest of another kind",
        lambda s: s.fair_with(content_digest="sha-512=:AAAA:"),
        "401 digest-mismatch",
    ),
    rude(
        "another host's authority",
        lambda s: sent(s, url=f"https://other.example.test{s.path}"),
        "401 signature-invalid",
    ),
    rude(
        "another room's path",
        lambda s: sent(s, url=url(f"/v1/rooms/{s.elsewhere}/actions")),
        "401 signature-invalid",
    ),
    rude("another method", lambda s: sent(s, method="PUT"), "401 signature-invalid"),
    rude(
        "another key than the one signed",
        lambda s: s.fair_with(idempotency_key="another"),
        "401 signature-invalid",
    ),
    rude("an hour late", created(-3_600), "401 signature-expired"),
    rude("an hour early", created(3_600), "401 signature-expired"),
    rude("301 seconds late", created(-301), "401 signature-expired"),
    rude("31 seconds early", created(31), "401 signature-expired"),
    rude(
        "another player's signature",
        lambda s: s.as_if(called(s.waiting.device, s.turn.device.keyid)),
        "401 signature-invalid",
    ),
    rude(
        "a keyid with padding",
        lambda s: s.as_if(called(s.turn.device, s.turn.device.keyid + "=")),
        "401 signature-invalid",
    ),
    rude(
        "a keyid with a spare bit set",
        lambda s: s.as_if(not_canonical(s.turn.device)),
        "401 signature-invalid",
    ),
    rude(
        "a keyid in capitals",
        lambda s: s.as_if(called(s.turn.device, s.turn.device.keyid.replace("ed", "ED"))),
        "401 signature-invalid",
    ),
    rude(
        "a small-order key",
        lambda s: s.as_if(called(s.turn.device, "ed25519:" + "A" * 43)),
        "401 signature-invalid",
    ),
    rude("a DER signature", lambda s: s.as_if(InDer("p256")), "401 signature-invalid"),
    rude(
        "a query parameter that is not signed",
        lambda s: s.world.send(
            "GET",
            f"/v1/rooms/{s.code}?as=host",
            s.turn.device.sign("GET", url(f"/v1/rooms/{s.code}"), created=1_800_000_000),
        ),
        "401 signature-invalid",
    ),
    rude(
        "a query parameter twice",
        lambda s: s.turn.send("GET", f"/v1/rooms/{s.code}?a=1&a=2"),
        "401 signature-invalid",
    ),
    rude("no idempotency key", without("Idempotency-Key"), "401 signature-invalid"),
    rude(
        "no idempotency key, and none signed",
        lambda s: sent(s, idempotency_key=None),
        "422 idempotency-key-missing",
    ),
    rude(
        "an idempotency key that is not signed",
        lambda s: s.world.send(
            "POST", s.path, s.signed(idempotency_key=None) | {"Idempotency-Key": "k"}, s.fair
        ),
        "401 signature-invalid",
    ),
    rude("an empty key", keyed(""), "422 idempotency-key-missing"),
    rude("a key of two quotes", keyed('""'), "422 idempotency-key-missing"),
    rude("a key of 41 characters", keyed("k" * 41), "422 idempotency-key-missing"),
    rude("a key with a blank", keyed("a b"), "422 idempotency-key-missing"),
    rude("a key with one quote", keyed('"abc'), "422 idempotency-key-missing"),
    rude(
        "a key that was used with another body",
        lambda s: s.room.host.act(s.elsewhere, "entropy", value="b", how={"key": "once"}),
        "422 idempotency-key-reused",
        1,
    ),
    rude(
        "a key that was used, signed by nobody",
        lambda s: s.world.send("POST", s.path, {"Idempotency-Key": "once"}, b"{}"),
        "401 signature-missing",
    ),
]

ADDRESSES = [
    rude("an unknown path", lambda s: s.world.send("GET", "/v1/chess"), "404 not-found"),
    rude("no path at all", lambda s: s.world.send("GET", ""), "404 not-found"),
    rude("the path without version", lambda s: s.world.send("GET", "/rooms"), "404 not-found"),
    rude("a trailing slash", lambda s: s.turn.send("GET", f"/v1/rooms/{s.code}/"), "404 not-found"),
    rude("two slashes", lambda s: s.turn.send("GET", f"/v1/rooms//{s.code}"), "404 not-found"),
    rude(
        "a way out of the folder",
        lambda s: s.world.send("GET", "/v1/games/../../etc/passwd/rules"),
        "404 not-found",
    ),
    rude(
        "a game with a way out",
        lambda s: s.world.send("GET", "/v1/games/..%2F..%2Fetc/rules"),
        "404 not-found",
    ),
    rude("a route's own name", lambda s: s.world.send("GET", "/{unmatched}"), "404 not-found"),
    rude("DELETE of a room", lambda s: s.turn.send("DELETE", s.path), "405 method-not-allowed"),
    rude("GET of an action", lambda s: s.turn.send("GET", s.path), "405 method-not-allowed"),
    rude("HEAD", lambda s: s.world.send("HEAD", "/v1/health"), "405 method-not-allowed"),
    rude(
        "a method of no standard", lambda s: s.world.send("BID", s.path), "405 method-not-allowed"
    ),
    rude(
        "text/plain",
        lambda s: s.fair_with(content_type="text/plain"),
        "415 unsupported-media-type",
    ),
    rude(
        "a form",
        lambda s: s.fair_with(content_type="application/x-www-form-urlencoded"),
        "415 unsupported-media-type",
    ),
    rude(
        "JSON of another kind",
        lambda s: s.fair_with(content_type="application/json-patch+json"),
        "415 unsupported-media-type",
    ),
    rude(
        "an empty type",
        lambda s: s.fair_with(content_type=""),
        "415 unsupported-media-type",
    ),
    rude(
        "a body of text/plain on a GET",
        lambda s: s.world.send("GET", "/v1/health", {"Content-Type": "text/plain"}, b"x"),
        "415 unsupported-media-type",
    ),
    rude(
        "a huge body on a GET",
        lambda s: s.world.send("GET", "/v1/health", {}, b"x" * 9_000),
        "413 too-large",
    ),
    rude(
        "odds for more dice than there are",
        lambda s: s.world.send("GET", "/v1/games/liars-dice/odds?unknown_dice=31"),
        "400 bad-request",
        wrong=at("?unknown_dice", "between", least=0, most=30),
    ),
    rude(
        "odds for a number in words",
        lambda s: s.world.send("GET", "/v1/games/liars-dice/odds?unknown_dice=five"),
        "400 bad-request",
        wrong=at("?unknown_dice", "between", least=0, most=30),
    ),
    rude(
        "a page of a thousand",
        lambda s: s.world.send("GET", "/v1/leaderboard?limit=1000"),
        "400 bad-request",
        wrong=at("?limit", "between", least=1, most=100),
    ),
    rude(
        "a cursor of one's own",
        lambda s: s.world.send("GET", "/v1/rooms?cursor=abc"),
        "400 bad-request",
        wrong=at("?cursor", "cursor"),
    ),
    rude(
        "rooms of chess",
        lambda s: s.world.send("GET", "/v1/rooms?game=chess"),
        "400 bad-request",
        wrong=at("?game", "one-of", expected=EVERY_GAME),
    ),
    rude(
        "odds for two numbers",
        lambda s: s.world.send("GET", "/v1/games/liars-dice/odds?unknown_dice=1&unknown_dice=2"),
        "400 bad-request",
        wrong=at("?unknown_dice", "twice"),
    ),
]


ROOMS = [
    rude(
        "a room for chess",
        create(game="chess"),
        "400 bad-request",
        wrong=at("/game", "one-of", expected=EVERY_GAME),
    ),
    rude(
        "a room for a path",
        create(game="../liars-dice"),
        "400 bad-request",
        wrong=at("/game", "one-of", expected=EVERY_GAME),
    ),
    rude(
        "a room that is half public",
        create(visibility="half"),
        "400 bad-request",
        wrong=at("/visibility", "one-of", expected="private, public"),
    ),
    rude(
        "a room with a field too many",
        create(host="me"),
        "400 bad-request",
        wrong=at("/host", "unknown-field"),
    ),
    rude(
        "settings that are a list",
        create(settings=[]),
        "400 bad-request",
        wrong=at("/settings", "object"),
    ),
    rude(
        "six bullets",
        create(settings={"bullets": 6}),
        "400 bad-request",
        wrong=at("/settings/bullets", "at-most", le=5),
    ),
    rude(
        "a bullet that is true",
        create(settings={"bullets": True}),
        "400 bad-request",
        wrong=at("/settings/bullets", "whole-number"),
    ),
    rude(
        "a bullet of 1.0",
        create(settings={"bullets": 1.0}),
        "400 bad-request",
        wrong=at("/settings/bullets", "whole-number"),
    ),
    rude(
        "a turn of 14 seconds",
        create(settings={"turn_seconds": 14}),
        "400 bad-request",
        wrong=at("/settings/turn_seconds", "at-least", ge=15),
    ),
    rude(
        "an unknown setting",
        create(settings={"dice": 6}),
        "400 bad-request",
        wrong=at("/settings/dice", "unknown-field"),
    ),
    rude(
        "ranked and two bullets",
        create(settings={"ranked": True, "bullets": 2}),
        "400 bad-request",
        wrong=at("/settings", "LD-11.ranked-defaults"),
    ),
    rude("a name that is a number", create(name=7), "400 bad-request", wrong=at("/name", "text")),
    rude(
        "an empty name",
        create(name=""),
        "400 bad-request",
        wrong=at("/name", "name-length", most=20, bytes=64),
    ),
    rude(
        "a name with a blank before it",
        create(name=" Ana"),
        "400 bad-request",
        wrong=at("/name", "name-edges"),
    ),
    rude(
        "a name with a zero in it",
        create(name="A\x00na"),
        "400 bad-request",
        wrong=at("/name", "name-characters"),
    ),
    rude(
        "a name with an emoji's selector after a letter",
        create(name="Ana\ufe0f"),
        "400 bad-request",
        wrong=at("/name", "name-selector"),
    ),
    rude(
        "a name with an accent on an accent on an accent",
        create(name="a\u0301\u0301\u0301\u0301"),
        "400 bad-request",
        wrong=at("/name", "name-marks"),
    ),
    rude(
        "the name of nobody",
        create(name="—"),
        "400 bad-request",
        wrong=at("/name", "name-unseen", nobody="—"),
    ),
    rude(
        "exact by a number",
        create(settings={"exact": 1}),
        "400 bad-request",
        wrong=at("/settings/exact", "true-or-false"),
    ),
    rude(
        "entropy beyond ASCII",
        create(entropy="ñ"),
        "400 bad-request",
        wrong=at("/entropy", "printable", pattern="^[ -~]*$"),
    ),
    rude(
        "a room from a list",
        lambda s: s.sol.send("POST", "/v1/rooms", []),
        "400 bad-request",
        wrong=at("", "object"),
    ),
    rude("a profile from a list", patch([]), "400 bad-request", wrong=at("", "object")),
    rude(
        "a profile in Klingon",
        patch({"locale": "tlh"}),
        "400 bad-request",
        wrong=at("/locale", "one-of", expected="es, en"),
    ),
    rude(
        "a profile with a rating",
        patch({"temple": 3_000}),
        "400 bad-request",
        wrong=at("/temple", "unknown-field"),
    ),
]


def named(fault: Fault, locale: str) -> dict[str, str]:
    """The fault as a problem tells of it."""
    detail = content.sentence(fault.reason, fault.params, GAMES, locale)
    assert detail is not None
    return {"pointer": fault.pointer, "detail": detail}


@pytest.fixture(params=content.LOCALES)
def locale(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The language that every request asks for."""
    asked, send = str(request.param), World.handle

    def asking(world: World, event: Mapping[str, Any]) -> Reply:
        headers = {**event["headers"], "accept-language": asked}
        return send(world, {**event, "headers": headers})

    monkeypatch.setattr(World, "handle", asking)
    return asked


CASES: Final = [*BODIES, *MOVES, *SIGNATURES, *ADDRESSES, *ROOMS]


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_and_nothing_changes(case: Rude, locale: str) -> None:
    scene = Scene(standing_bid=case.standing_bid)
    scene.world.rooms.calls.clear()
    scene.world.players.calls.clear()
    before = scene.world.stored()
    reply = case.send(scene)
    assert f"{reply.status} {reply.code}" == case.says, reply.text
    calls = [call.partition(" ")[0] for call in scene.world.calls()]
    assert calls == ["get"] * case.reads + list(case.besides)
    assert scene.world.stored() == before
    check_problem(reply, locale)
    errors = [named(case.wrong, locale)] if case.wrong else []
    assert reply.body.get("errors", []) == errors


# --- what can only be said elsewhere -------------------------------------------------------------


def no_push(world: World) -> Reply:
    device = {"platform": "fcm", "token": "a" * 20}
    return world.person("Ana").send("PUT", "/v1/me/push/phone", device)


def begun(world: World, game: str, players: int) -> tuple[str, list[Person]]:
    people = [world.person(f"Person {number}") for number in range(players)]
    body = {"game": game, "visibility": "private"}
    code = people[0].send("POST", "/v1/rooms", body).body["room"]["code"]
    for person in people[1:]:
        person.join(code)
    people[0].act(code, "start", match=1)
    return code, people


def published(world: World, twist: int) -> Reply:
    code, people = begun(world, "almost-even", 3)
    author = next(each for each in people if each.view(code)["match"]["your_move"])
    decision = author.view(code)["match"]["decision"]
    return author.act(code, "publish", decision, card="c", twist=twist)


def signalled(world: World, traits: Any) -> Reply:
    code, people = begun(world, "crossed-coordinates", 4)
    world.clock.wait(20)
    return people[0].act(code, "signal", people[0].view(code)["match"]["decision"], traits=traits)


ELSEWHERE: Final[dict[str, tuple[Callable[[World], Reply], Fault]]] = {
    "push where there is none": (no_push, at("/platform", "no-push")),
    "twist minus one": (lambda w: published(w, -1), at("/action/twist", "at-least", ge=0)),
    "twist three": (lambda w: published(w, 3), at("/action/twist", "below", lt=3)),
    "traits as text": (lambda w: signalled(w, "t01"), at("/action/traits", "list")),
    "one trait": (lambda w: signalled(w, ["t01"]), at("/action/traits", "too-short", min_length=2)),
    "ten traits": (
        lambda w: signalled(w, ["t01"] * 10),
        at("/action/traits", "too-long", max_length=2),
    ),
}


@pytest.mark.parametrize("case", ELSEWHERE)
def test_it_is_told_what_is_wrong(world: World, case: str, locale: str) -> None:
    send, fault = ELSEWHERE[case]
    reply = send(world)
    check_problem(reply, locale)
    assert reply.body["errors"] == [named(fault, locale)]


def test_every_sentence_is_said_but_the_one_for_what_nobody_thought_of() -> None:
    wrongs = [
        *(case.values[0].wrong for case in CASES),
        *(wrong for _, wrong in ELSEWHERE.values()),
    ]
    said = {wrong.reason for wrong in wrongs if wrong is not None}
    of_games = {reason for reason in said if reason.startswith("LD-")}
    for locale in content.LOCALES:
        words = content.of_service(locale)["words"]["fields"]
        assert words.keys() == said - of_games | {WRONG}


# --- what is not refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON;charset=UTF-8",
        "application/json;",
    ],
)
def test_json_by_any_charset_is_json(content_type: str) -> None:
    assert Scene().fair_with(content_type=content_type).status == 200


def test_a_code_is_read_in_any_case() -> None:
    scene = Scene()
    assert scene.turn.read(scene.code.lower()).status == 200


def test_a_body_of_8192_bytes_is_taken() -> None:
    scene = Scene()
    assert scene.post(raw=scene.fair.ljust(MAX_BODY)).status == 200


def test_a_preflight_is_answered_for_every_path_that_there_is(world: World) -> None:
    reply = world.send("OPTIONS", "/v1/rooms/ABCDEF/actions")
    assert reply.status == 204
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert reply.headers["Access-Control-Allow-Methods"] == "POST, OPTIONS"
    assert reply.headers["Access-Control-Max-Age"] == "7200"
    asked = reply.headers["Access-Control-Allow-Headers"].split(", ")
    assert {"Signature", "Signature-Input", "Content-Digest", "Idempotency-Key"} <= set(asked)
    assert {"If-None-Match", "Content-Type", "Accept-Language"} <= set(asked)
    assert world.send("OPTIONS", "/v1/chess").code == "not-found"
    assert world.send("PUT", "/v1/rooms/ABCDEF").headers["Allow"] == "GET, OPTIONS"
