"""Signed requests, API.md "Identity and signatures": who is believed, and who is not and why."""

import base64
import dataclasses
import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from http_message_signatures import HTTPMessageSigner, MappingKeyResolver, algorithms
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chalicelib import content, signing
from chalicelib.signing import Request, SignatureProblem, Signed, player_id, public_key, verify
from infra.local.device import Device
from tests.scene import check_problem
from tests.world import Reply, World

NOW = 1_800_000_000
AUTHORITY = "abc123.execute-api.eu-west-1.amazonaws.com"
PATH = "/api/v1/rooms/KRTWMN/actions"
BODY = b'{"decision":7,"action":{"type":"bid","quantity":3,"face":5}}'
KEY = "2f1c9a50-7d1e"
ED, P256 = Device("ed25519"), Device("p256")
DEVICES = [pytest.param(ED, id="Ed25519"), pytest.param(P256, id="P-256")]
COVERED = ['"@method"', '"@authority"', '"@path"', '"content-digest"', '"idempotency-key"']
CODES = {"signature-missing", "signature-invalid", "signature-expired", "digest-mismatch"}
VECTORS = json.loads((Path(__file__).parent / "vectors" / "signing.json").read_text("utf-8"))


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def b64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def from_b64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def digest_of(body: bytes) -> str:
    return f"sha-256=:{b64(hashlib.sha256(body).digest())}:"


def check(request: Request, *, now: float = NOW, needs_key: bool = True) -> Signed:
    return verify(request, now_seconds=now, needs_idempotency_key=needs_key)


def refusal(request: Request) -> SignatureProblem:
    with pytest.raises(SignatureProblem) as problem:
        check(request)
    return problem.value


def english(problem: SignatureProblem) -> str:
    """What developers read of it."""
    return content.sentence(problem.reason, problem.params, (), "en") or ""


def outcome(request: Request) -> Signed | SignatureProblem:
    try:
        return check(request, needs_key=False)
    except SignatureProblem as problem:
        return problem


def signed(
    *,
    device: Device = ED,
    method: str = "POST",
    authority: str = AUTHORITY,
    path: str = PATH,
    query: Any = (),
    body: bytes = BODY,
    headers: Mapping[str, Any] | None = None,
    covered: list[str] | None = None,
    parameters: str = ';created={now};keyid="{keyid}"',
    keyid: str | None = None,
    label: str = "sig1",
    spell: Callable[[bytes], bytes] = lambda signature: signature,
) -> Request:
    """Honestly signs whatever it is told to, also what no decent client would ask for."""
    if headers is None:
        headers = {"Content-Digest": digest_of(body), "Idempotency-Key": KEY} if body else {}
    if covered is None:
        covered = COVERED if body else COVERED[:3]
    values = {'"@method"': method, '"@authority"': authority.lower(), '"@path"': path}
    values |= {f'"{name.lower()}"': value for name, value in headers.items()}
    values |= {f'"@query-param";name="{name}"': value for name, value in query}
    parameters = parameters.replace("{now}", str(NOW)).replace("{keyid}", keyid or device.keyid)
    signed_as = f"({' '.join(covered)}){parameters}"
    lines = [f"{component}: {values.get(component, 'x')}" for component in covered]
    base = "\n".join([*lines, f'"@signature-params": {signed_as}'])
    signature = b64(spell(device.signature(base.encode())))
    ours = {"Signature-Input": f"{label}={signed_as}", "Signature": f"{label}=:{signature}:"}
    return Request(
        method=method,
        authority=authority,
        path=path,
        query=list(query),
        headers={**headers, **ours},
        body=body,
    )


def with_headers(request: Request, **changed: Any) -> Request:
    """The same request with other headers; None takes one away."""
    headers = dict(request.headers) | {name.replace("_", "-"): new for name, new in changed.items()}
    return dataclasses.replace(
        request, headers={name: value for name, value in headers.items() if value is not None}
    )


def respelt(request: Request, name: str, pattern: str, new: str) -> Request:
    """The same request with the text of one header changed, and not signed again."""
    old = str(request.headers[name])
    text = re.sub(pattern, new, old, count=1)
    assert text != old
    return with_headers(request, **{name: text})


def der(signature: bytes) -> bytes:
    return encode_dss_signature(
        int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    )


def high_or_low(signature: bytes) -> bytes:
    """The other signature that ECDSA has for the same message: s and -s."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    return signature[:32] + (order - int.from_bytes(signature[32:], "big")).to_bytes(32, "big")


# --- accepted ---


@pytest.mark.parametrize("device", DEVICES)
def test_the_signer_of_a_request_is_known_by_the_hash_of_the_key(device: Device) -> None:
    digest = hashlib.sha256(device.keyid.encode()).digest()
    expected = base64.b32encode(digest).decode().lower()[:26]
    assert check(signed(device=device)) == Signed(
        player_id=expected, keyid=device.keyid, created=NOW
    )
    assert device.player_id == player_id(device.keyid) == expected


ACCEPTED: list[tuple[str, Callable[[], Request]]] = [
    ("a read without body", lambda: signed(method="GET", body=b"")),
    ("any label", lambda: signed(label="*a.b-c_9")),
    ("any order of components", lambda: signed(covered=COVERED[::-1])),
    ("keyid before created", lambda: signed(parameters=';keyid="{keyid}";created={now}')),
    ("alg of the key", lambda: signed(parameters=';created={now};keyid="{keyid}";alg="ed25519"')),
    (
        "alg of a P-256 key",
        lambda: signed(
            device=P256, parameters=';created={now};keyid="{keyid}";alg="ecdsa-p256-sha256"'
        ),
    ),
    ("a nonce", lambda: signed(parameters=';created={now};keyid="{keyid}";nonce="again"')),
    (
        "expires, at its last instant",
        lambda: signed(parameters=';created={now};keyid="{keyid}";expires={now}'),
    ),
    ("low or high s", lambda: signed(device=P256)),
    ("high or low s", lambda: signed(device=P256, spell=high_or_low)),
    (
        "content-type covered too",
        lambda: signed(
            headers={
                "content-digest": digest_of(BODY),
                "idempotency-key": KEY,
                "content-type": "application/json; charset=utf-8",
            },
            covered=[*COVERED, '"content-type"'],
        ),
    ),
    (
        "content-type of any kind if not covered",
        lambda: with_headers(signed(), content_type="caf\u00e9\n"),
    ),
    (
        "the digest of no body",
        lambda: signed(body=b"", headers={"content-digest": digest_of(b"")}, covered=COVERED[:4]),
    ),
    (
        "a second digest, which proves nothing and is not looked at",
        lambda: signed(
            headers={
                "content-digest": f"sha-512=:AAAA:,{digest_of(BODY)}",
                "idempotency-key": KEY,
            }
        ),
    ),
    (
        "an idempotency key in quotes, covered as it is",
        lambda: signed(headers={"content-digest": digest_of(BODY), "idempotency-key": f'"{KEY}"'}),
    ),
    (
        "no idempotency key, which is for others to miss",
        lambda: signed(headers={"content-digest": digest_of(BODY)}, covered=COVERED[:4]),
    ),
    (
        "header names in any case and values with edge spaces",
        lambda: dataclasses.replace(
            signed(), headers={k.upper(): f" {v}\t" for k, v in signed().headers.items()}
        ),
    ),
    (
        "headers that are nobody's business",
        lambda: with_headers(signed(), Host="elsewhere", Cookie="\u00e9\n"),
    ),
    (
        "headers in the multi-value form",
        lambda: dataclasses.replace(
            signed(), headers={name: [str(v)] for name, v in signed().headers.items()}
        ),
    ),
    (
        "query in the multi-value form",
        lambda: dataclasses.replace(
            signed(query=[("a", "1")], covered=[*COVERED, '"@query-param";name="a"']),
            query={"a": ["1"]},
        ),
    ),
    (
        "an empty query value",
        lambda: signed(query=[("a", "")], covered=[*COVERED, '"@query-param";name="a"']),
    ),
    ("the authority in capitals", lambda: signed(authority=AUTHORITY.upper())),
    ("a host with a port", lambda: signed(authority="localhost:8000")),
    ("a path with escapes, as on the wire", lambda: signed(path="/v1/me/push/a%2Fb%20c")),
]


@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in ACCEPTED])
def test_it_is_accepted(build: Callable[[], Request]) -> None:
    assert check(build()).created == NOW


@pytest.mark.parametrize("now", [NOW - 30, NOW, NOW + 0.5, NOW + 300])
def test_a_signature_is_fresh_from_30_s_ahead_to_300_s_old(now: float) -> None:
    assert check(signed(), now=now).created == NOW


@pytest.mark.parametrize("now", [NOW - 30.001, NOW + 300.001, float("nan"), float("inf"), 0])
def test_outside_of_that_it_is_expired(now: float) -> None:
    with pytest.raises(SignatureProblem) as problem:
        check(signed(), now=now)
    assert problem.value.code == "signature-expired"


@pytest.mark.parametrize("created", [978_307_200, 4_102_444_800])
def test_the_only_clock_is_the_one_handed_in(created: int) -> None:
    """In 2001 and in 2100 too: the library's own clock, which is the wall's, has no say."""
    request = signed(parameters=f';created={created};keyid="{{keyid}}";expires={created + 9}')
    assert check(request, now=created).created == created


def test_an_idempotency_key_need_not_be_covered_where_none_is_needed() -> None:
    request = signed(covered=COVERED[:4])
    assert check(request, needs_key=False)
    with pytest.raises(SignatureProblem, match=r'not-covered.*"idempotency-key"'):
        check(request, needs_key=True)


# --- refused, each honestly signed unless the row says otherwise ---

INVALID, MISSING, EXPIRED, DIGEST = (
    "signature-invalid",
    "signature-missing",
    "signature-expired",
    "digest-mismatch",
)


def parameters(more: str) -> Request:
    return signed(parameters=';created={now};keyid="{keyid}"' + more)


def with_digest(text: str, body: bytes = BODY) -> Request:
    return signed(body=body, headers={"content-digest": text, "idempotency-key": KEY},
                  covered=COVERED)  # fmt: skip


def asking(query: Any, *more: str) -> Request:
    return signed(query=query, covered=[*COVERED, *more])


def keyed(keyid: str, device: Device = ED) -> Request:
    return signed(device=device, keyid=keyid)


ED_RAW = from_b64url(ED.keyid.partition(":")[2])
P256_RAW = from_b64url(P256.keyid.partition(":")[2])
A = '"@query-param";name="a"'

REFUSED: list[tuple[str, Callable[[], Request], str, str]] = [
    # headers
    ("no headers at all", lambda: dataclasses.replace(signed(), headers={}), MISSING, "both"),
    ("no Signature", lambda: with_headers(signed(), Signature=None), MISSING, "both"),
    ("no Signature-Input", lambda: with_headers(signed(), **{"Signature-Input": None}),
     MISSING, "both"),
    ("an empty Signature", lambda: with_headers(signed(), Signature="  "), MISSING, "both"),
    ("a Signature that is a word", lambda: with_headers(signed(), Signature="Bearer x"),
     INVALID, "structured dictionary"),
    ("a bare key as Signature", lambda: with_headers(signed(), Signature="sig1"),
     INVALID, "byte sequence"),
    ("a string as Signature", lambda: with_headers(signed(), Signature='sig1="AAAA"'),
     INVALID, "byte sequence"),
    ("a list as Signature", lambda: with_headers(signed(), Signature="sig1=(:AAAA:)"),
     INVALID, "byte sequence"),
    ("a parameter on Signature", lambda: respelt(signed(), "Signature", "$", ";a=1"),
     INVALID, "byte sequence"),
    ("a word as Signature-Input", lambda: with_headers(signed(), **{"Signature-Input": "sig1=a"}),
     INVALID, "list with parameters"),
    ("an open list", lambda: with_headers(signed(), **{"Signature-Input": 'sig1=("@method"'}),
     INVALID, "structured dictionary"),
    ("two signatures", lambda: with_headers(
        signed(),
        Signature=f"{signed().headers['Signature']}, "
                  f"{signed(label='sig2').headers['Signature']}",
        **{"Signature-Input": f"{signed().headers['Signature-Input']}, "
                              f"{signed(label='sig2').headers['Signature-Input']}"},
     ), INVALID, "Exactly one"),
    ("two signatures in repeated headers", lambda: with_headers(
        signed(),
        Signature=[signed().headers["Signature"], signed(label="b").headers["Signature"]],
     ), INVALID, "Exactly one"),
    ("a label that comes twice", lambda: with_headers(
        signed(), Signature=[signed().headers["Signature"]] * 2), INVALID, "comes twice"),
    ("headers that differ in case, both there", lambda: with_headers(
        signed(), signature=signed().headers["Signature"]), INVALID, "comes twice"),
    ("two labels", lambda: respelt(signed(), "Signature", "sig1", "sig2"), INVALID, "same label"),
    ("a very long Signature-Input", lambda: parameters(f';nonce="{"n" * 2000}"'),
     INVALID, "longer than"),
    ("a thousand parameters", lambda: parameters("".join(f";p{n}" for n in range(1000))),
     INVALID, "longer than"),
    ("a thousand components", lambda: signed(covered=COVERED + ['"date"'] * 1000),
     INVALID, "longer than"),
    ("a Signature-Input that is not ASCII", lambda: respelt(
        signed(), "Signature-Input", "sig1", "s\u00edg1"), INVALID, "printable ASCII"),
    ("a Signature with a line break", lambda: respelt(signed(), "Signature", "=:", "=\n:"),
     INVALID, "printable ASCII"),
    ("two spaces between components, signed with one", lambda: respelt(
        signed(), "Signature-Input", " ", "  "), INVALID, "RFC 9651"),
    ("spare bits in the signature's base64", lambda: respelt(
        signed(spell=lambda s: s[:-1] + b"\x00"), "Signature", "A==:", "B==:"),
     INVALID, "RFC 9651"),
    ("a signature without its padding", lambda: respelt(signed(), "Signature", "==:", ":"),
     INVALID, "RFC 9651"),
    ("a parameter that comes twice", lambda: parameters(";created={now}"),
     INVALID, "comes twice"),
    # components
    *[(f"{name} not covered",
       lambda name=name: signed(covered=[c for c in COVERED if c != name]),
       INVALID, f"must cover {name}") for name in COVERED],
    ("nothing covered", lambda: signed(covered=[]), INVALID, "must cover"),
    ("another header covered", lambda: signed(covered=[*COVERED, '"date"']),
     INVALID, "not allowed"),
    ("@target-uri covered", lambda: signed(covered=[*COVERED, '"@target-uri"']),
     INVALID, "not allowed"),
    ("@query covered", lambda: signed(covered=[*COVERED, '"@query"']), INVALID, "not allowed"),
    ("@status covered", lambda: signed(covered=[*COVERED, '"@status"']), INVALID, "not allowed"),
    ("@signature-params covered", lambda: signed(covered=[*COVERED, '"@signature-params"']),
     INVALID, "not allowed"),
    ("a component in capitals", lambda: signed(covered=[*COVERED, '"Content-Type"']),
     INVALID, "not allowed"),
    ("a component that is a number", lambda: signed(covered=[*COVERED, "1"]),
     INVALID, "not allowed"),
    ("a component that is a word", lambda: signed(covered=[*COVERED, "date"]),
     INVALID, "not allowed"),
    ("a component that is a date", lambda: signed(covered=[*COVERED, "@1800000000"]),
     INVALID, "not allowed"),
    ("a component covered twice", lambda: signed(covered=[*COVERED, '"@path"']),
     INVALID, "covered twice"),
    *[(f"a component with ;{flag}",
       lambda flag=flag: signed(covered=[*COVERED, f'"content-digest";{flag}']),
       INVALID, "not allowed") for flag in ("sf", "bs", "tr", "req", 'key="sha-256"')],
    ("a required component with ;req only", lambda: signed(covered=['"@method";req', *COVERED[1:]]),
     INVALID, "not allowed"),
    ("content-type covered, but not there", lambda: signed(covered=[*COVERED, '"content-type"']),
     INVALID, "not in the request"),
    ("an idempotency key covered, but not there",
     lambda: signed(headers={"content-digest": digest_of(BODY)}), INVALID, "not in the request"),
    ("a covered header that is not ASCII", lambda: signed(headers={
        "content-digest": digest_of(BODY), "idempotency-key": "\u00e9"}),
     INVALID, "printable ASCII"),
    ("a covered header with a line break that adds a line", lambda: signed(headers={
        "content-digest": digest_of(BODY), "idempotency-key": 'k\n"@path": /v1/me'}),
     INVALID, "printable ASCII"),
    ("a path with a line break", lambda: signed(path='/v1\n"@path": /v2'),
     INVALID, "printable ASCII"),
    ("a path that is not ASCII", lambda: signed(path="/v1/\u00e9"), INVALID, "printable ASCII"),
    ("a path that is very long", lambda: signed(path="/" * 3000), INVALID, "longer than"),
    # parameters
    ("no created", lambda: signed(parameters=';keyid="{keyid}"'), INVALID, "needed"),
    ("no keyid", lambda: signed(parameters=";created={now}"), INVALID, "needed"),
    ("no parameters", lambda: signed(parameters=""), INVALID, "needed"),
    ("a tag", lambda: parameters(';tag="app"'), INVALID, "tag is not allowed"),
    ("an unknown parameter", lambda: parameters(";colour"), INVALID, "colour is not allowed"),
    ("created as a decimal", lambda: signed(parameters=';created={now}.0;keyid="{keyid}"'),
     INVALID, "wrong type"),
    ("created as a string", lambda: signed(parameters=';created="{now}";keyid="{keyid}"'),
     INVALID, "wrong type"),
    ("created as a date", lambda: signed(parameters=';created=@{now};keyid="{keyid}"'),
     INVALID, "wrong type"),
    ("created as true", lambda: signed(parameters=';created;keyid="{keyid}"'),
     INVALID, "wrong type"),
    ("created with a leading zero", lambda: signed(parameters=';created=0{now};keyid="{keyid}"'),
     INVALID, "RFC 9651"),
    ("created with 16 digits", lambda: signed(parameters=';created={now}000000;keyid="{keyid}"'),
     INVALID, "structured dictionary"),
    ("created before 1970", lambda: signed(parameters=';created=-1;keyid="{keyid}"'),
     EXPIRED, "created"),
    ("created at the end of integers",
     lambda: signed(parameters=';created=999999999999999;keyid="{keyid}"'), EXPIRED, "created"),
    ("created in milliseconds", lambda: signed(parameters=';created={now}000;keyid="{keyid}"'),
     EXPIRED, "created"),
    ("keyid as a word", lambda: signed(parameters=";created={now};keyid={keyid}"),
     INVALID, "wrong type"),
    ("keyid as bytes", lambda: signed(parameters=";created={now};keyid=:AAAA:"),
     INVALID, "wrong type"),
    ("a nonce that is no string", lambda: parameters(";nonce=1"), INVALID, "wrong type"),
    ("expires that is past", lambda: signed(
        parameters=f';created={{now}};keyid="{{keyid}}";expires={NOW - 1}'), EXPIRED, "expires"),
    ("expires as a string", lambda: parameters(';expires="{now}"'), INVALID, "wrong type"),
    ("alg of the other kind", lambda: parameters(';alg="ecdsa-p256-sha256"'),
     INVALID, "alg does not fit"),
    ("alg in capitals", lambda: parameters(';alg="Ed25519"'), INVALID, "alg does not fit"),
    ("alg of a shared secret", lambda: parameters(';alg="hmac-sha256"'),
     INVALID, "alg does not fit"),
    ("alg as a word", lambda: parameters(";alg=ed25519"), INVALID, "wrong type"),
    # keys
    ("keyid of no kind", lambda: keyed("test-key-ed25519"), INVALID, "must begin with"),
    ("keyid empty", lambda: signed(parameters=';created={now};keyid=""'),
     INVALID, "must begin with"),
    ("keyid of another kind", lambda: keyed(f"rsa:{b64url(ED_RAW)}"), INVALID, "must begin with"),
    ("keyid with the kind in capitals", lambda: keyed(f"ED25519:{b64url(ED_RAW)}"),
     INVALID, "must begin with"),
    ("keyid without a key", lambda: keyed("ed25519:"), INVALID, "32 bytes"),
    ("keyid one byte short", lambda: keyed(f"ed25519:{b64url(ED_RAW[:31])}"),
     INVALID, "32 bytes"),
    ("keyid one byte long", lambda: keyed(f"ed25519:{b64url(ED_RAW + bytes(1))}"),
     INVALID, "32 bytes"),
    ("keyid padded", lambda: keyed(f"{ED.keyid}="), INVALID, "canonical"),
    ("keyid in plain base64", lambda: keyed(f"ed25519:{'+' * 42}8"), INVALID, "canonical"),
    ("keyid with junk that decoders skip", lambda: keyed(f"{ED.keyid}!!!!"),
     INVALID, "canonical"),
    ("keyid with spare bits", lambda: keyed(spare_bits(ED.keyid)), INVALID, "canonical"),
    ("keyid with a space at its end", lambda: keyed(f"{ED.keyid}    "), INVALID, "canonical"),
    ("keyid of impossible length", lambda: keyed("ed25519:AAAAA"), INVALID, "base64url"),
    ("an Ed25519 key as P-256", lambda: keyed(f"p256:{b64url(ED_RAW)}", P256),
     INVALID, "65-byte point"),
    ("a compressed point", lambda: keyed(
        f"p256:{b64url(bytes([2 + P256_RAW[64] % 2]) + P256_RAW[1:33])}", P256),
     INVALID, "65-byte point"),
    ("a hybrid point", lambda: keyed(
        f"p256:{b64url(bytes([6 + P256_RAW[64] % 2]) + P256_RAW[1:])}", P256),
     INVALID, "65-byte point"),
    ("a point off the curve", lambda: keyed(
        f"p256:{b64url(P256_RAW[:64] + bytes([P256_RAW[64] ^ 1]))}", P256),
     INVALID, "not on the curve"),
    ("the point (0, 0)", lambda: keyed(f"p256:{b64url(bytes([4]) + bytes(64))}", P256),
     INVALID, "not on the curve"),
    ("an Ed25519 key of small order", lambda: keyed(f"ed25519:{b64url(bytes(32))}"),
     INVALID, "small order"),
    ("an Ed25519 point off the curve", lambda: keyed(f"ed25519:{b64url(bytes([2]) + bytes(31))}"),
     INVALID, "not on the curve"),
    ("somebody else's key", lambda: keyed(Device().keyid), INVALID, "does not match"),
    # signatures
    ("DER", lambda: signed(device=P256, spell=der), INVALID, "r|s and not DER"),
    ("an empty signature", lambda: signed(spell=lambda _: b""), INVALID, "64 bytes"),
    ("a signature cut short", lambda: signed(spell=lambda s: s[:63]), INVALID, "64 bytes"),
    ("a signature with more behind it", lambda: signed(spell=lambda s: s + b"\0"),
     INVALID, "64 bytes"),
    ("an Ed25519 signature of zeros", lambda: signed(spell=lambda _: bytes(64)),
     INVALID, "does not match"),
    ("a P-256 signature of zeros", lambda: signed(device=P256, spell=lambda _: bytes(64)),
     INVALID, "does not match"),
    ("a P-256 signature of ones", lambda: signed(device=P256, spell=lambda _: b"\xff" * 64),
     INVALID, "does not match"),
    ("an Ed25519 signature with S + L", lambda: signed(spell=plus_order),
     INVALID, "does not match"),
    # query
    ("a query parameter that is not covered", lambda: asking([("a", "1")]),
     INVALID, 'must cover "@query-param";name="a"'),
    ("a query parameter covered, but not there", lambda: asking([], A),
     INVALID, "not in the request"),
    ("a query parameter that comes twice", lambda: asking([("a", "1"), ("a", "1")], A),
     INVALID, "repeated"),
    ("a query parameter that comes twice, as a list", lambda: dataclasses.replace(
        asking([("a", "1")], A), query={"a": ["1", "2"]}), INVALID, "repeated"),
    ("a space in the query", lambda: asking([("a", "1 2")], A), INVALID, "may hold"),
    ("an escape in the query", lambda: asking([("a", "%41")], A), INVALID, "may hold"),
    ("a letter that is not ASCII in the query", lambda: asking([("a", "\u00e9")], A),
     INVALID, "may hold"),
    ("a line break at the end of the query", lambda: asking([("a", "1\n")], A),
     INVALID, "may hold"),
    ("a quote in a query name", lambda: asking([('a"', "1")]), INVALID, "may hold"),
    ("a query name that is empty", lambda: asking([("", "1")], '"@query-param";name=""'),
     INVALID, "may hold"),
    ("seventeen query parameters", lambda: asking(
        [(f"a{n}", "") for n in range(17)], *[f'"@query-param";name="a{n}"' for n in range(17)]),
     INVALID, "more than 16"),
    ("@query-param without a name", lambda: asking([("a", "1")], A, '"@query-param"'),
     INVALID, "not allowed"),
    ("@query-param with a flag", lambda: asking([("a", "1")], A + ";req"),
     INVALID, "not allowed"),
    ("@query-param with a name that is a word",
     lambda: asking([("a", "1")], '"@query-param";name=a'), INVALID, "not allowed"),
    # digest
    ("a body without a digest", lambda: signed(
        headers={"idempotency-key": KEY}, covered=[*COVERED[:3], COVERED[4]]),
     INVALID, 'must cover "content-digest"'),
    ("the digest of another body", lambda: with_digest(digest_of(b"{}")), DIGEST, "not the SHA"),
    ("a digest of no body for a body", lambda: with_digest(digest_of(b"")),
     DIGEST, "not the SHA"),
    ("the digest of a body without a body", lambda: with_digest(digest_of(BODY), b""),
     DIGEST, "not the SHA"),
    ("another body than the one signed", lambda: dataclasses.replace(signed(), body=b"{}"),
     DIGEST, "not the SHA"),
    ("a digest that is wrong and not covered", lambda: with_headers(
        signed(body=b""), content_digest=digest_of(BODY)), DIGEST, "not the SHA"),
    ("sha-512 alone", lambda: with_digest(f"sha-512=:{b64(hashlib.sha512(BODY).digest())}:"),
     DIGEST, "must hold sha-256"),
    ("an empty digest", lambda: with_digest(""), DIGEST, "must hold sha-256"),
    ("a digest cut short", lambda: with_digest(f"sha-256=:{b64(bytes(16))}:"),
     DIGEST, "not the SHA"),
    ("a digest as a string", lambda: with_digest(f'sha-256="{b64(bytes(32))}"'),
     DIGEST, "must hold sha-256"),
    ("a digest as a list", lambda: with_digest("sha-256=()"), DIGEST, "must hold sha-256"),
    ("a digest as hex", lambda: with_digest(f"sha-256={'ab' * 32}"),
     DIGEST, "must hold sha-256"),
    ("a digest in the old form", lambda: with_digest(f"SHA-256={b64(bytes(32))}"),
     DIGEST, "structured dictionary"),
    ("two sha-256 of which the last is right", lambda: with_digest(
        f"{digest_of(b'')}, {digest_of(BODY)}"), DIGEST, "comes twice"),
    ("a digest that is not ASCII", lambda: with_digest("sha-256=:\u00e9:"),
     INVALID, "printable ASCII"),
    ("a digest that is very long", lambda: with_digest("a=1, " * 999 + digest_of(BODY)),
     INVALID, "longer than"),
    ("a digest that is very long and not covered", lambda: with_headers(
        signed(body=b""), content_digest="a=1, " * 999 + digest_of(BODY)), DIGEST, "longer than"),
]  # fmt: skip


def spare_bits(keyid: str) -> str:
    """Another text that the lenient decoder reads as the same 32 bytes."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return keyid[:-1] + alphabet[alphabet.index(keyid[-1]) ^ 1]


def plus_order(signature: bytes) -> bytes:
    """The signature whose S is larger by the group's order: RFC 8032 has it refused."""
    order = 2**252 + 27742317777372353535851937790883648493
    s = int.from_bytes(signature[32:], "little") + order
    return signature[:32] + s.to_bytes(32, "little")


@pytest.mark.parametrize(
    ("build", "code", "detail"),
    [pytest.param(build, code, detail, id=name) for name, build, code, detail in REFUSED],
)
def test_it_is_refused(build: Callable[[], Request], code: str, detail: str) -> None:
    problem = refusal(build())
    assert (problem.code, detail in english(problem)) == (code, True), problem


@pytest.fixture(scope="module")
def served() -> World:
    """One world for all: a signature is checked before anything is touched."""
    world = World()
    world.clock.really = NOW * 1_000
    return world


def sent(world: World, request: Request, locale: str) -> Reply:
    """What the app says to the request, as a gateway hands it over."""
    query: dict[str, list[str]] = {}
    for name, value in signing._pairs(request.query):
        query.setdefault(name, []).append(value)
    headers = {"accept-language": [locale]}
    for name, value in signing._pairs(request.headers):
        headers.setdefault(name.lower(), []).append(value)
    return world.handle(
        {
            "httpMethod": request.method,
            "path": PATH.removeprefix("/api"),
            "requestContext": {"path": request.path, "domainName": request.authority},
            "multiValueQueryStringParameters": query,
            "multiValueHeaders": headers,
            "body": b64(request.body),
            "isBase64Encoded": True,
        }
    )


@pytest.mark.parametrize("locale", content.LOCALES)
@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build, *_ in REFUSED])
def test_whoever_sent_it_is_told_why_in_their_language(
    served: World, build: Callable[[], Request], locale: str
) -> None:
    request = build()
    problem, reply = refusal(request), sent(served, request, locale)
    assert reply.code == problem.code
    assert reply.body["detail"] == content.sentence(problem.reason, problem.params, (), locale)
    check_problem(reply, locale)
    assert served.calls() == []


UNREADABLE = "unreadable"  # no gateway hands over what is not text


def test_every_reason_is_among_these_and_has_words_and_no_other_has() -> None:
    given = {refusal(build()).reason for _, build, *_ in REFUSED}
    for locale in content.LOCALES:
        words = content.of_service(locale)["words"]["signatures"]
        assert words.keys() == given | {UNREADABLE}


def test_no_more_than_forty_characters_are_repeated() -> None:
    name = "n" * 500
    for request in (
        parameters(f";{name}"),
        parameters(f";{name};{name}"),
        signed(covered=[*COVERED, f'"{name}"']),
        asking([(name, "1")]),
    ):
        assert max(len(run) for run in re.findall("n+", english(refusal(request)))) <= 40


@pytest.mark.parametrize(
    ("name", "weird"),
    [
        (field.name, weird)
        for field in dataclasses.fields(Request)
        for weird in (None, 1, b"x", "x", [None], [1, 2], {"signature": None}, {1: 2}, {"a": [1]})
        if (field.name, weird) not in [("query", None), ("body", None)]
    ],
)
def test_a_field_of_another_type_is_refused_like_everything_else(name: str, weird: object) -> None:
    request = signed(query=[("a", "1")], covered=[*COVERED, A])
    assert english(refusal(dataclasses.replace(request, **{name: weird})))  # type: ignore[arg-type]


def test_what_is_no_text_is_called_unreadable() -> None:
    for part in ("headers", "query", "authority"):
        request = dataclasses.replace(signed(), **{part: 1})  # type: ignore[arg-type]
        assert refusal(request).reason == UNREADABLE


def test_no_query_and_no_body_may_also_be_none() -> None:
    request = dataclasses.replace(signed(body=b""), query=None, body=None)  # type: ignore[arg-type]
    assert check(request)


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("P256", P256_RAW),
        ("p384", P256_RAW),
        ("ed25519", P256_RAW),
        ("p256", P256_RAW[:64]),
        ("p256", P256_RAW + b"\0"),
        ("p256", b"\0"),
        ("", b""),
    ],
    ids=["P256", "p384", "ed25519 and a point", "a byte short", "a byte long", "one byte", "none"],
)
def test_only_two_kinds_of_key_of_exact_length_are_known(kind: str, raw: bytes) -> None:
    with pytest.raises(SignatureProblem, match="key-size"):
        public_key(f"{kind}:{b64url(raw)}")


# --- keys of small order: whoever sends one could sign as anybody ---

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def points_with(y: int) -> list[tuple[int, int]]:
    """The points of edwards25519 with this y, by brute algebra."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * pow(2, (P - 1) // 4, P) % P
    return sorted({(root, y), (-root % P, y)}) if root * root % P == square else []


def plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    (x1, y1), (x2, y2) = a, b
    product = D * x1 * x2 * y1 * y2
    return (
        (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P,
        (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P,
    )


def small_order_points() -> set[tuple[int, int]]:
    """The multiples of a point of order 8, which is what l times almost any point is."""
    order = 2**252 + 27742317777372353535851937790883648493
    for y in range(2, 99):
        for start in points_with(y):
            torsion, double = (0, 1), start
            for bit in range(order.bit_length()):
                if order >> bit & 1:
                    torsion = plus(torsion, double)
                double = plus(double, double)
            multiples, point = {(0, 1)}, torsion
            while point != (0, 1):
                multiples.add(point)
                point = plus(point, torsion)
            if len(multiples) == 8:
                return multiples
    raise AssertionError("edwards25519 has cofactor 8")


def test_no_encoding_of_a_small_order_key_is_a_player() -> None:
    ys = {y for _, y in small_order_points()}
    assert len(ys) == 5
    encodings = {
        (spelt | sign << 255).to_bytes(32, "little")
        for y in ys
        for spelt in (y, y + P)
        for sign in (0, 1)
        if spelt < 2**255
    }
    assert len(encodings) == 14  # eight, and six more that lenient decoders take for one of them
    for raw in encodings:
        with pytest.raises(SignatureProblem, match="key-weak"):
            public_key(f"ed25519:{b64url(raw)}")


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("excess", range(19))
def test_an_ed25519_key_has_one_spelling(excess: int, sign: int) -> None:
    raw = (P + excess | sign << 255).to_bytes(32, "little")
    with pytest.raises(SignatureProblem, match="key-weak"):
        public_key(f"ed25519:{b64url(raw)}")


def test_a_signature_that_a_small_order_key_makes_for_every_message_is_refused() -> None:
    """The attack itself: R and the key are the identity, S is 0, and OpenSSL says yes."""
    identity = (1).to_bytes(32, "little")
    Ed25519PublicKey.from_public_bytes(identity).verify(identity + bytes(32), b"whatever")
    request = signed(keyid=f"ed25519:{b64url(identity)}", spell=lambda _: identity + bytes(32))
    with pytest.raises(SignatureProblem, match="key-weak"):
        check(request)


def test_a_p256_coordinate_has_one_spelling() -> None:
    """(5, y) is on the curve; 5 + p has 32 bytes too, and means the same modulo p."""
    p = 2**256 - 2**224 + 2**192 + 2**96 - 1
    b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    y = pow(5**3 - 3 * 5 + b, (p + 1) // 4, p)
    spellings = [b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big") for x in (5, 5 + p)]
    assert public_key(f"p256:{b64url(spellings[0])}")
    with pytest.raises(SignatureProblem, match="key-off-curve"):
        public_key(f"p256:{b64url(spellings[1])}")


# --- properties ---

UNRESERVED = st.text("ABCXYZabcxyz0189-._~", max_size=12)
ASCII = st.characters(min_codepoint=32, max_codepoint=126)


@given(
    device=st.sampled_from([ED, P256]),
    method=st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    host=st.sampled_from([AUTHORITY, "localhost:8000", "[::1]:8000", "Example.COM"]),
    path=st.text("abcABC019-._~%/:@!$&'()*+,=", max_size=40),
    query=st.dictionaries(UNRESERVED.filter(bool), UNRESERVED, max_size=5),
    body=st.none() | st.binary(max_size=60),
    key=st.none() | st.text("abcABC019-_.:", min_size=1, max_size=40),
    created=st.integers(NOW - 300, NOW + 30),
)
@settings(deadline=None)
def test_what_a_device_signs_is_accepted_as_the_devices(
    device: Device,
    method: str,
    host: str,
    path: str,
    query: dict[str, str],
    body: bytes | None,
    key: str | None,
    created: int,
) -> None:
    text = "&".join(f"{name}={value}" for name, value in query.items())
    url = f"https://{host}/{path}" + (f"?{text}" if text else "")
    request = Request(
        method=method,
        authority=host,
        path=f"/{path}",
        query=query,
        headers=device.sign(method, url, body, key, created=created),
        body=body or b"",
    )
    expected = Signed(player_id=device.player_id, keyid=device.keyid, created=created)
    assert check(request) == expected


WHOLE = {
    device.keyid: signed(
        device=device,
        query=[("a", "1"), ("bc", "x-y")],
        covered=[*COVERED, A, '"@query-param";name="bc"'],
    )
    for device in (ED, P256)
}


def other(text: str, data: st.DataObject) -> str:
    """The text with exactly one character changed."""
    place = data.draw(st.integers(0, len(text) - 1))
    new = data.draw(ASCII | st.characters(max_codepoint=255))
    assume(new != text[place])
    return text[:place] + new + text[place + 1 :]


@given(
    whole=st.sampled_from(list(WHOLE.values())),
    part=st.sampled_from(
        [
            *("method", "authority", "path", "name", "value", "body"),
            *("Content-Digest", "Idempotency-Key", "Signature-Input", "Signature"),
        ]
    ),
    data=st.data(),
)
@settings(deadline=None, max_examples=600)
def test_with_a_single_byte_changed_nothing_is_accepted(
    whole: Request, part: str, data: st.DataObject
) -> None:
    """Signature-Input holds created and the key, so that these are among the changes."""
    changed: dict[str, Any]
    if part == "body":
        place, bits = data.draw(st.integers(0, len(BODY) - 1)), data.draw(st.integers(1, 255))
        body = bytearray(whole.body)
        body[place] ^= bits
        changed = {"body": bytes(body)}
    elif part in ("name", "value"):
        (name, value), second = list(whole.query)
        pair = (other(name, data), value) if part == "name" else (name, other(value, data))
        changed = {"query": [pair, second]}
    elif part in whole.headers:
        text = other(str(whole.headers[part]), data)
        changed = {"headers": {**whole.headers, part: text}}
    else:
        text = other(getattr(whole, part), data)
        assume(text.lower() != whole.authority)  # a host has no case
        changed = {part: text}
    assert check(whole)
    with pytest.raises(SignatureProblem) as problem:
        check(dataclasses.replace(whole, **changed))
    assert problem.value.code in CODES


@given(data=st.data())
@settings(deadline=None, max_examples=200)
def test_with_a_single_bit_of_the_signature_changed_nothing_is_accepted(
    data: st.DataObject,
) -> None:
    bit = data.draw(st.integers(0, 511))

    def flip(signature: bytes) -> bytes:
        return (int.from_bytes(signature, "big") ^ 1 << bit).to_bytes(64, "big")

    with pytest.raises(SignatureProblem, match="signature-mismatch"):
        check(signed(device=data.draw(st.sampled_from([ED, P256])), spell=flip))


FIELD = (
    st.text(max_size=30)
    | st.text('sig1=()";:,@?0. abcmethod\\/+%', max_size=60)
    | st.lists(
        st.sampled_from(
            [
                *('"@method"', '"@path"', "created", "keyid", "1800000000", f'"{ED.keyid}"'),
                *(*'=() ;,:-"', "sig1", "AAAA", "?1", "@99999999999999", '%"%c3"', "9.9"),
            ]
        ),
        max_size=16,
    ).map("".join)
)


@given(
    headers=st.dictionaries(
        st.sampled_from(["signature", "Signature-Input", "content-digest", "idempotency-key"]),
        FIELD | st.lists(FIELD, min_size=1, max_size=3),
    ),
    keep=st.booleans(),
    body=st.sampled_from([b"", BODY]),
)
@settings(deadline=None, max_examples=600)
def test_whatever_the_headers_hold_the_answer_is_one_of_the_four_codes(
    headers: dict[str, Any], keep: bool, body: bytes
) -> None:
    honest = {name.lower(): value for name, value in signed(body=body).headers.items()}
    mixed = (honest if keep else {}) | {name.lower(): value for name, value in headers.items()}
    assume(mixed != honest)
    result = outcome(dataclasses.replace(signed(body=body), headers=mixed))
    if isinstance(result, SignatureProblem):
        assert result.code in CODES
        assert english(result).endswith(".")
    else:  # only what is neither signed nor looked at may have changed
        assert {name for name in mixed if mixed[name] != honest.get(name)} <= {"idempotency-key"}


# --- other people's implementations ---


@pytest.mark.parametrize("case", VECTORS["requests"], ids=lambda case: case["name"])
def test_the_published_vectors_hold(case: dict[str, Any]) -> None:
    seed = from_b64url(VECTORS["private_keys"][case["keyid"].partition(":")[0]])
    key: Ed25519PrivateKey | EllipticCurvePrivateKey
    if case["keyid"].startswith("ed25519:"):
        key = Ed25519PrivateKey.from_private_bytes(seed)
    else:
        key = derive_private_key(int.from_bytes(seed, "big"), SECP256R1())
    device = Device(key=key)
    body = (case["body"] or "").encode()
    address, _, query = case["url"].partition("?")
    _, _, authority, path = address.split("/", 3)
    request = Request(
        method=case["method"],
        authority=authority,
        path=f"/{path}",
        query=[tuple(pair.split("=")) for pair in query.split("&") if pair],
        headers=case["headers"],
        body=body,
    )
    assert check(request, now=case["created"], needs_key=case["method"] == "POST") == Signed(
        player_id=case["player_id"], keyid=case["keyid"], created=case["created"]
    )
    assert (device.keyid, device.player_id) == (case["keyid"], case["player_id"])
    base = "\n".join(case["signature_base"]).encode()
    signature = base64.b64decode(case["headers"]["Signature"].removeprefix("sig1=:")[:-1])
    public = public_key(case["keyid"])
    if isinstance(public, Ed25519PublicKey):
        public.verify(signature, base)
        again = device.sign(
            case["method"],
            case["url"],
            body or None,
            case["idempotency_key"],
            created=case["created"],
        )
        assert again == case["headers"]
    else:
        public.verify(der(signature), base, ECDSA(SHA256()))


@pytest.mark.parametrize("kind", ["ed25519", "p256"])
def test_what_the_library_signs_by_its_own_reading_of_the_url_is_accepted(kind: str) -> None:
    """Our resolver hands the library values; here the library has found them for itself."""
    key: Any = (
        Ed25519PrivateKey.generate() if kind == "ed25519" else derive_private_key(7, SECP256R1())
    )
    keyid = Device(key=key).keyid
    signer = HTTPMessageSigner(
        signature_algorithm=(
            algorithms.ED25519 if kind == "ed25519" else algorithms.ECDSA_P256_SHA256
        ),
        key_resolver=MappingKeyResolver(public_keys={}, private_keys={keyid: key}),
    )
    message = SimpleNamespace(
        method="POST",
        url=f"https://{AUTHORITY.upper()}{PATH}?a=x~y&b=",
        headers={"Idempotency-Key": KEY, "Content-Type": "application/json"},
    )
    signer.sign(
        message,
        key_id=keyid,
        created=datetime.fromtimestamp(NOW, UTC),
        nonce="n",
        covered_component_ids=[
            *("@method", "@authority", "@path", "idempotency-key", "content-type"),
            *(A, '"@query-param";name="b"'),
        ],
        body=BODY,
    )
    request = Request(
        method="POST",
        authority=AUTHORITY,
        path=PATH,
        query={"a": "x~y", "b": ""},
        headers=message.headers,
        body=BODY,
    )
    assert check(request) == Signed(player_id=player_id(keyid), keyid=keyid, created=NOW)


def test_rfc_9421_b_2_6_ed25519_agrees_with_our_key_and_with_the_library_as_we_use_it() -> None:
    keyid = "ed25519:JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
    values = {
        '"date"': "Tue, 20 Apr 2021 02:07:55 GMT",
        '"@method"': "POST",
        '"@path"': "/foo",
        '"@authority"': "example.com",
        '"content-type"': "application/json",
        '"content-length"': "18",
    }
    signed_as = (
        '("date" "@method" "@path" "@authority" "content-type" "content-length")'
        ';created=1618884473;keyid="test-key-ed25519"'
    )
    text = (
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
    )
    key = public_key(keyid)
    assert isinstance(key, Ed25519PublicKey)
    base = "\n".join(
        [*(f"{name}: {value}" for name, value in values.items()),
         f'"@signature-params": {signed_as}']
    )  # fmt: skip
    key.verify(base64.b64decode(text), base.encode())
    results = signing._Verifier(
        signature_algorithm=algorithms.ED25519,
        key_resolver=MappingKeyResolver(public_keys={"test-key-ed25519": key}, private_keys={}),
        component_resolver_class=signing._Checked,
    ).verify(
        SimpleNamespace(
            headers={
                "Signature-Input": f"sig-b26={signed_as}",
                "Signature": f"sig-b26=:{text}:",
            },
            values=values,
        ),
        max_age=None,
    )
    assert results[0].covered_components == values | {'"@signature-params"': signed_as}


def test_rfc_9421_b_2_4_ecdsa_agrees_with_our_key() -> None:
    spki = base64.b64decode(
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf"
        "w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ=="
    )
    base = (
        '"@status": 200\n'
        '"content-type": application/json\n'
        '"content-digest": sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41Q'
        "JgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:\n"
        '"content-length": 23\n'
        '"@signature-params": ("@status" "content-type" "content-digest" "content-length")'
        ';created=1618884473;keyid="test-key-ecc-p256"'
    )
    signature = base64.b64decode(
        "wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw=="
    )
    key = public_key(f"p256:{b64url(spki[-65:])}")
    assert isinstance(key, EllipticCurvePublicKey)
    key.verify(der(signature), base.encode(), ECDSA(SHA256()))


@pytest.mark.parametrize("device", DEVICES)
def test_how_long_it_takes_is_printed(device: Device) -> None:
    """`pytest -rP -k how_long` shows it; a shared machine is no place to assert it."""
    request, times = signed(device=device), []
    for _ in range(200):
        start = time.perf_counter()
        check(request)
        times.append(time.perf_counter() - start)
    times.sort()
    print(  # noqa: T201 - what this test is for
        f"{device.keyid[:7]}: median {times[100] * 1e6:.0f} us, best {times[0] * 1e6:.0f} us"
    )
