"""Who signed a request: RFC 9421 signatures, RFC 9530 digests, self-certifying player ids.

The rules are in API.md, "Identity and signatures". `http_message_signatures` builds the signature
base and verifies it; everything that it leaves to policy is decided here first, cheapest first.
Pure: no clock, no store. The key comes with the request, so there is nothing to look up.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, Final, Literal, NoReturn, TypeAlias

import http_sf
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import (
    HTTPMessageVerifier,
    InvalidSignature,
    MappingKeyResolver,
    algorithms,
)

Code: TypeAlias = Literal[
    "signature-missing", "signature-invalid", "signature-expired", "digest-mismatch"
]
PublicKey: TypeAlias = Ed25519PublicKey | EllipticCurvePublicKey

MAX_AGE_SECONDS: Final = 300
MAX_AHEAD_SECONDS: Final = 30

_LONGEST = 2048  # characters of a header or path: parsing takes time, and honest ones need 600
_MOST_QUERY_PARAMETERS = 16
_COVERABLE = ("content-digest", "content-type", "idempotency-key")
_PARAMETERS = {"created": int, "keyid": str, "alg": str, "expires": int, "nonce": str}
_ALGORITHMS: dict[str, Any] = {"ed25519": algorithms.ED25519, "p256": algorithms.ECDSA_P256_SHA256}
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]*")

# Edwards25519 (RFC 8032, 5.1): the field, d, and y of the points of order 8, 4, 2 and 1. Each y
# stands for both signs of x, so these five are all encodings of the eight small-order points.
_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_Y8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER_Y = frozenset({0, 1, _P - 1, _Y8, _P - _Y8})


class SignatureProblem(Exception):
    """The request is not signed as it must be. `code` is for programs; `reason` names a sentence
    for developers in the catalogues, whose gaps `params` fill."""

    def __init__(self, code: Code, reason: str, **params: str | int) -> None:
        super().__init__(code, reason, params)
        self.code = code
        self.reason = reason
        self.params = params


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as it reached us.

    `authority` is the host that the gateway reports, `path` as on the wire, stage included. Values
    of `query` and `headers` are strings or, where a name was repeated, lists of strings: hand in
    the multi-value form, or a repetition cannot be seen. `body` is the bytes before decoding.
    """

    method: str
    authority: str
    path: str
    query: Sequence[tuple[str, str]] | Mapping[str, str | Sequence[str]]
    headers: Mapping[str, str | Sequence[str]]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """Somebody who holds `keyid` signed the request at `created` (epoch seconds, their clock)."""

    player_id: str
    keyid: str
    created: int


def verify(request: Request, *, now_seconds: float, needs_idempotency_key: bool) -> Signed:
    """Whoever holds `keyid` signed exactly this method, authority, path, query, digest of this
    body and idempotency key, from 300 s before to 30 s after `now_seconds` (real time).

    An idempotency key that is needed but not there has its own code, and is not missed here.
    Raises SignatureProblem and nothing else, whatever the request holds.
    """
    fields = _fields(request.headers)
    covered, parameters, signature = _only_signature(fields)
    keyid, created = _in_time(parameters, now_seconds)
    values = _values(request, fields)
    required = [component for component in values if component.startswith('"@')]
    if request.body:
        required.append('"content-digest"')
    if needs_idempotency_key and "idempotency-key" in fields:
        required.append('"idempotency-key"')
    _check_coverage(covered, values, required)
    if "content-digest" in fields:
        _check_digest(fields["content-digest"], request.body)
    kind = keyid.partition(":")[0]
    if len(signature) != 64:
        der = kind == "p256" and signature.startswith(b"\x30")
        _refuse("signature-der" if der else "signature-length")
    verifier = _Verifier(
        signature_algorithm=_ALGORITHMS[kind],
        key_resolver=MappingKeyResolver(public_keys={keyid: public_key(keyid)}, private_keys={}),
        component_resolver_class=_Checked,
    )
    try:
        verifier.verify(SimpleNamespace(headers=fields, values=values), max_age=None)
    except InvalidSignature as error:
        raise SignatureProblem("signature-invalid", "signature-mismatch") from error
    return Signed(player_id=player_id(keyid), keyid=keyid, created=created)


def player_id(keyid: str) -> str:
    """First 26 characters of the lowercase base32 of SHA-256(keyid); the key is not checked."""
    return base64.b32encode(hashlib.sha256(keyid.encode()).digest()).decode().lower()[:26]


@lru_cache(maxsize=512)
def public_key(keyid: str) -> PublicKey:
    """The key that `keyid` names, in its only spelling: on its curve, and not of small order.

    Raises SignatureProblem (signature-invalid) for anything else.
    """
    kind, _, text = keyid.partition(":")
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:  # not ASCII, too
        _refuse("key-not-base64url")
    # The decoder skips junk and ignores spare bits: one key must not be several players.
    if base64.urlsafe_b64encode(raw).decode().rstrip("=") != text:
        _refuse("key-not-canonical")
    if kind == "ed25519" and len(raw) == 32:
        # Not checked by from_public_bytes; and for a small-order key anybody can sign.
        y = int.from_bytes(raw, "little") & (2**255 - 1)
        if y >= _P or y in _SMALL_ORDER_Y:
            _refuse("key-weak")
        if pow((y * y - 1) * (_D * y * y + 1), (_P - 1) // 2, _P) != 1:  # x^2 must be a square
            _refuse("key-off-curve", key="Ed25519")
        return Ed25519PublicKey.from_public_bytes(raw)
    if kind != "p256" or len(raw) != 65 or raw[0] != 4:
        _refuse("key-size")
    try:
        return EllipticCurvePublicKey.from_encoded_point(SECP256R1(), raw)
    except ValueError:
        _refuse("key-off-curve", key="P-256")


def _refuse(reason: str, code: Code = "signature-invalid", **params: str | int) -> NoReturn:
    raise SignatureProblem(code, reason, **params)


def _short(text: str) -> str:
    """As much as an answer repeats of what was sent: enough to know it by."""
    return text[:40]


def _is_plain(text: object) -> bool:
    """Fit for one line of the signature base: no line break, so no line can pose as another."""
    return isinstance(text, str) and len(text) <= _LONGEST and text.isascii() and text.isprintable()


def _pairs(named: object) -> Iterator[tuple[str, str]]:
    """Every name and value in order. Raises TypeError or ValueError where there are none."""
    items: Any = named.items() if isinstance(named, Mapping) else named
    for name, values in items:
        for value in [values] if isinstance(values, str) else values:
            if not (isinstance(name, str) and isinstance(value, str)):
                raise TypeError
            yield name, value


def _fields(headers: object) -> dict[str, str]:
    """The headers that matter here, by lowercase name, repeated ones joined (RFC 9421, 2.1)."""
    fields: dict[str, str] = {}
    try:
        for name, value in _pairs(headers):
            if (key := name.lower()) in ("signature-input", "signature", *_COVERABLE):
                text = value.strip(" \t")
                fields[key] = f"{fields[key]}, {text}" if key in fields else text
    except (TypeError, ValueError):
        _refuse("unreadable")
    return fields


def _once(header: str, code: Code, name: str, _: str) -> NoReturn:
    _refuse("name-repeated", code, header=header, name=_short(name))


def _dictionary(name: str, text: str, code: Code) -> dict[str, Any]:
    """The parsed field. Raises SignatureProblem(code) if it is malformed, repetitive or long."""
    if not _is_plain(text):
        _refuse("not-plain", code, part=name, most=_LONGEST)
    once = partial(_once, name, code)
    try:
        parsed: Any = http_sf.parse(text.encode(), tltype="dictionary", on_duplicate_key=once)
    except (ValueError, OverflowError) as error:
        place = getattr(error, "position", 0) + 1
        _refuse("not-a-dictionary", code, header=name, place=place)
    return dict(parsed)


def _only_signature(fields: dict[str, str]) -> tuple[list[str], dict[str, Any], bytes]:
    """Component identifiers, parameters and bytes of the one signature, under whatever label."""
    texts = fields.get("signature-input", ""), fields.get("signature", "")
    if not all(texts):
        _refuse("headers-missing", "signature-missing")
    inputs = _dictionary("Signature-Input", texts[0], "signature-invalid")
    signatures = _dictionary("Signature", texts[1], "signature-invalid")
    if len(inputs) != 1 or inputs.keys() != signatures.keys():
        _refuse("not-one-signature")
    match (*inputs.values(), *signatures.values()):
        case [(list(items), dict(parameters)), (bytes(signature), dict(extra))] if not extra:
            # One spelling: spare base64 bits and spaces could otherwise change on the way.
            if (http_sf.ser(inputs), http_sf.ser(signatures)) != texts:
                _refuse("spelling")
            return [http_sf.ser(item) for item in items], parameters, signature
    _refuse("wrong-shape")


def _in_time(parameters: dict[str, Any], now_seconds: float) -> tuple[str, int]:
    """keyid and created, of parameters that are known, well typed, consistent and in time."""
    for name, value in parameters.items():
        if type(value) is not _PARAMETERS.get(name):  # exactly: a bool is an int, too
            _refuse("wrong-parameter", name=_short(name))
    if not {"created", "keyid"} <= parameters.keys():
        _refuse("parameters-missing")
    keyid, created = parameters["keyid"], parameters["created"]
    algorithm = _ALGORITHMS.get(keyid.partition(":")[0])
    if algorithm is None:
        _refuse("key-kind")
    if parameters.get("alg", algorithm.algorithm_id) != algorithm.algorithm_id:
        _refuse("wrong-algorithm", algorithm=algorithm.algorithm_id)
    if not -MAX_AHEAD_SECONDS <= now_seconds - created <= MAX_AGE_SECONDS:
        limits = {"old": MAX_AGE_SECONDS, "ahead": MAX_AHEAD_SECONDS}
        _refuse("out-of-time", "signature-expired", **limits)
    if now_seconds > parameters.get("expires", now_seconds):
        _refuse("expires-past", "signature-expired")
    return keyid, created


def _values(request: Request, fields: dict[str, str]) -> dict[str, str]:
    """All that may be covered, by component identifier, as it goes into the signature base."""
    values = {'"@method"': request.method, '"@path"': request.path or "/"}
    try:
        values['"@authority"'] = request.authority.lower()
        for name, value in _pairs(request.query or ()):
            if not (name and _UNRESERVED.fullmatch(name) and _UNRESERVED.fullmatch(value)):
                _refuse("query-characters")
            # RFC 9421 (2.2.8) encodes as HTML forms do, and there ~ is not left as it is.
            component = f'"@query-param";name="{name.replace("~", "%7E")}"'
            if component in values or len(values) >= 3 + _MOST_QUERY_PARAMETERS:
                _refuse("query-repeated", most=_MOST_QUERY_PARAMETERS)
            values[component] = value.replace("~", "%7E")
    except (AttributeError, TypeError, ValueError):
        _refuse("unreadable")
    return values | {f'"{name}"': fields[name] for name in _COVERABLE if name in fields}


def _check_coverage(covered: list[str], values: dict[str, str], required: list[str]) -> None:
    """Each required component is covered, and each covered one is allowed, there, and once."""
    if len(set(covered)) != len(covered):
        _refuse("covered-twice")
    for component in covered:
        if component not in values:
            _refuse("not-coverable", component=_short(component))
        if not _is_plain(values[component]):
            _refuse("not-plain", part=_short(component), most=_LONGEST)
    for component in required:
        if component not in covered:
            _refuse("not-covered", component=_short(component))


def _check_digest(text: str, body: bytes) -> None:
    """sha-256 is there and right. Other digests, which RFC 9530 allows beside it, are ignored."""
    match _dictionary("Content-Digest", text, "digest-mismatch").get("sha-256"):
        case (bytes(digest), _):
            if not isinstance(body, bytes) or digest != hashlib.sha256(body).digest():
                _refuse("wrong-digest", "digest-mismatch")
        case _:
            _refuse("no-sha-256", "digest-mismatch")


class _Checked:
    """The library's resolver: the values checked above, not a URL taken apart once more."""

    def __init__(self, message: SimpleNamespace) -> None:
        self._values: dict[str, str] = message.values

    def resolve(self, component_node: object) -> str:
        return self._values[str(component_node)]


class _Verifier(HTTPMessageVerifier):
    def validate_created_and_expires(self, sig_input: object, max_age: object = None) -> None:
        """Nothing: the library would ask the wall clock, and add 5 s to limits checked above."""
