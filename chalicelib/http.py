"""HTTP around a use case: who signed, what the body says, and answers that are never a surprise.

Checks run in API.md's order, and all that can be refused without the store is refused before it.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from chalice.app import Request as ChaliceRequest
from chalice.app import Response
from pydantic import ValidationError

from . import content, signing, strict_json
from .kernel import receipts
from .kernel.errors import GameError, IllegalAction, InvalidAction
from .kernel.faults import Fault, faults
from .kernel.model import SECOND, Model
from .service import Refused, Seen, Service

log = logging.getLogger("sobremesa")

MAX_BODY: Final = 8_192
KEY: Final = re.compile(r"[A-Za-z0-9\-_.:]{1,40}")

CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "ETag, Idempotency-Replayed, Retry-After, Server-Now, Poll-After-Ms"
    ),
}
PREFLIGHT: Final = {
    "Access-Control-Allow-Headers": (
        "Signature, Signature-Input, Content-Digest, Idempotency-Key, If-None-Match, "
        "Content-Type, Accept-Language"
    ),
    "Access-Control-Max-Age": "7200",
}

STATUS: Final[Mapping[str, int]] = {
    "bad-json": 400,
    "bad-request": 400,
    "signature-missing": 401,
    "signature-invalid": 401,
    "signature-expired": 401,
    "digest-mismatch": 401,
    "not-seated": 403,
    "not-host": 403,
    "not-found": 404,
    "method-not-allowed": 405,
    "stale-decision": 409,
    "stale-request": 409,
    "not-your-turn": 409,
    "already-answered": 409,
    "too-early": 409,
    "room-full": 409,
    "room-locked": 409,
    "too-few-players": 409,
    "match-running": 409,
    "no-match": 409,
    "wrong-game": 409,
    "too-large": 413,
    "unsupported-media-type": 415,
    "invalid-action": 422,
    "illegal-action": 422,
    "idempotency-key-missing": 422,
    "idempotency-key-reused": 422,
    "too-many-requests": 429,
    "internal": 500,
    "try-again": 503,
}
"""Every code of API.md; `internal` is what should never be seen."""

M = TypeVar("M", bound=Model)


class Problem(Exception):  # RFC 9457's word
    """An answer that is not a success."""

    def __init__(
        self,
        code: str,
        *,
        why: IllegalAction | signing.SignatureProblem | None = None,
        faults: tuple[Fault, ...] = (),
        headers: Mapping[str, str] | None = None,
        retry_after_ms: int | None = None,
        seen: Seen | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.why = why
        self.faults = faults
        self.headers = dict(headers or {})
        self.retry_after_ms = retry_after_ms
        self.seen = seen


@dataclass(frozen=True, slots=True)
class Answer:
    """A success: `body` is JSON text, or None for an empty one."""

    status: int
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, checked: what a use case may look at."""

    service: Service
    path: Mapping[str, str]
    query: Mapping[str, str]
    locale: str | None
    """What Accept-Language asks for; None if it does not say."""
    etag: str | None
    body: Any
    """The parsed JSON; None where an endpoint takes none."""
    raw: bytes
    key: str
    signed: signing.Signed | None
    source: str

    @property
    def player(self) -> str:
        return self.signer.player_id

    @property
    def signer(self) -> signing.Signed:
        assert self.signed is not None
        return self.signed

    @property
    def request(self) -> receipts.Request:
        """The request as its receipt knows it."""
        return receipts.Request(self.player, self.signer.created, self.key, self.raw)

    @property
    def words(self) -> str:
        """The language of an answer that has no profile to ask."""
        return self.locale or content.LOCALES[0]

    def body_as(self, model: type[M]) -> M:
        """The body as `model`. Raises `Problem("bad-request")` naming every wrong field."""
        try:
            return model.model_validate(self.body, strict=True)
        except ValidationError as problem:
            raise Problem("bad-request", faults=faults(problem)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One endpoint: where it is, what it takes and gives, and what it does. The document is made
    from the same table: `run`'s docstring describes it, models are named as in `wire`."""

    method: str
    path: str
    run: Callable[[Call], Answer]
    gives: str
    """The model of a success; "" if that has no body."""
    status: int = 200
    takes: str = ""
    """The model of the body, if there is one."""
    query: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    """Problems besides those that every request like this can meet."""
    signed: bool = False
    catalogue: bool = False
    """May be cached by anybody for five minutes."""


def answer(route: Route, service: Service, request: ChaliceRequest) -> Response:
    """The route's answer to `request`; every failure is a problem document, none an exception."""
    locale = _locale(request.headers.get("accept-language", ""))
    try:
        done = route.run(_call(route, service, request, locale))
        headers = {"Content-Type": "application/json", "Server-Now": str(service.clock.now())}
        if route.catalogue:
            headers |= {"Cache-Control": "public, max-age=300", "Vary": "Accept-Language"}
        else:
            headers["Cache-Control"] = "no-store" if route.signed else "no-cache"
        return _response(done.status, done.body, headers | done.headers)
    except Problem as problem:
        return problem_response(problem, service, locale)
    except Refused as refused:
        return problem_response(_of_error(refused.error, refused.seen), service, locale)
    except GameError as error:
        return problem_response(_of_error(error, None), service, locale)
    except Exception:
        log.exception("unexpected")
        return problem_response(Problem("internal"), service, locale)


def unmatched(reason: str, allowed: str, service: Service, request: ChaliceRequest) -> Response:
    """The answer where no route matches: 404, 405, or a preflight's."""
    if reason == "preflight":
        headers = PREFLIGHT | {"Access-Control-Allow-Methods": allowed}
        return _response(204, None, headers | {"Server-Now": str(service.clock.now())})
    headers = {"Allow": allowed} if allowed else {}
    locale = _locale(request.headers.get("accept-language", ""))
    return problem_response(Problem(reason, headers=headers), service, locale)


def _call(route: Route, service: Service, request: ChaliceRequest, locale: str | None) -> Call:
    headers, event = request.headers, request.to_original_event()
    raw: bytes = request.raw_body or b""  # type: ignore[assignment]  # it is never a str
    query: dict[str, list[str]] = event["multiValueQueryStringParameters"] or {}
    if len(raw) > MAX_BODY:
        raise Problem("too-large")
    if (route.takes or raw) and not _is_json(headers.get("content-type")):
        raise Problem("unsupported-media-type")
    signed, key = None, ""
    if route.signed:
        signed = _signed(route, service, request, query, raw)
        if route.method == "POST":
            key = _key(headers.get("idempotency-key"))
    body = None
    if route.takes:
        try:
            body = strict_json.parse(raw)
        except strict_json.BadJson as bad:
            raise Problem("bad-json", faults=(bad.fault,)) from None
    for name, values in query.items():
        if len(values) > 1:
            raise Problem("bad-request", faults=(Fault(f"?{name}", "twice"),))
    return Call(
        service=service,
        path=event["pathParameters"] or {},
        query={name: values[0] for name, values in query.items()},
        locale=locale,
        etag=headers.get("if-none-match"),
        body=body,
        raw=raw,
        key=key,
        signed=signed,
        source=event["requestContext"]["identity"]["sourceIp"],
    )


def _signed(
    route: Route,
    service: Service,
    request: ChaliceRequest,
    query: Mapping[str, list[str]],
    raw: bytes,
) -> signing.Signed:
    context = request.context
    try:
        return signing.verify(
            signing.Request(
                method=request.method,
                authority=context.get("domainName") or request.headers.get("host", ""),
                path=context["path"],
                query=query,
                headers=dict(request.headers),
                body=raw,
            ),
            now_seconds=service.clock.real() / SECOND,
            needs_idempotency_key=route.method == "POST",
        )
    except signing.SignatureProblem as problem:
        raise Problem(problem.code, why=problem) from None


def _key(header: str | None) -> str:
    """The idempotency key without quotes. Raises `Problem` if there is none to use."""
    if header is None:
        raise Problem("idempotency-key-missing")
    quoted = len(header) > 1 and header[0] == header[-1] == '"'
    key = header[1:-1] if quoted else header
    if not KEY.fullmatch(key):
        raise Problem("idempotency-key-missing")
    return key


def _is_json(content_type: str | None) -> bool:
    """`application/json` with any charset; a body without a type is taken for that."""
    if content_type is None:
        return True
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    return kind == "application/json" and all(
        part.startswith("charset=") for part in parameters if part
    )


def _locale(header: str) -> str | None:
    """The language that Accept-Language prefers among ours."""
    wanted: list[tuple[float, int, str]] = []
    for position, part in enumerate(header[:200].split(",")):
        tag, _, quality = part.strip().partition(";")
        language = tag.strip().lower().partition("-")[0]
        try:
            weight = float(quality.strip().removeprefix("q=")) if quality else 1.0
        except ValueError:
            continue
        if language in content.LOCALES and weight > 0:
            wanted.append((-weight, position, language))
    return min(wanted)[2] if wanted else None


def _of_error(error: GameError, seen: Seen | None) -> Problem:
    return Problem(
        error.code,
        why=error if isinstance(error, IllegalAction) else None,
        faults=error.faults if isinstance(error, InvalidAction) else (),
        retry_after_ms=getattr(error, "retry_after_ms", None),
        seen=seen,
    )


def problem_response(problem: Problem, service: Service, locale: str | None) -> Response:
    """RFC 9457: a stable code, a sentence in the caller's language, what to do next."""
    locale = locale or (problem.seen.locale if problem.seen else content.LOCALES[0])
    words = content.of_service(locale)["words"]["problems"][problem.code]

    def said(why: Fault | IllegalAction | signing.SignatureProblem) -> str:
        found = content.sentence(why.reason, why.params, service.games, locale)
        return found or str(words["detail"])

    now = service.clock.now() if problem.seen is None else problem.seen.server_now
    document: dict[str, Any] = {
        "type": f"urn:sobremesa:problem:{problem.code}",
        "code": problem.code,
        "title": words["title"],
        "status": STATUS[problem.code],
        "detail": words["detail"] if problem.why is None else said(problem.why),
        "server_now": service.clock.real() if STATUS[problem.code] == 401 else now,
    }
    headers = {"Content-Type": "application/problem+json", "Cache-Control": "no-store"}
    headers |= {"Server-Now": str(now)} | problem.headers
    if problem.faults:
        document["errors"] = [
            {"pointer": fault.pointer, "detail": said(fault)} for fault in problem.faults
        ]
    if problem.retry_after_ms is not None:
        document["retry_after_ms"] = problem.retry_after_ms
        headers["Retry-After"] = str(-(-problem.retry_after_ms // SECOND))
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    if problem.seen is not None:
        text = f'{text[:-1]},"view":{problem.seen.body}}}'
        headers["Poll-After-Ms"] = str(problem.seen.poll_after_ms)
    return _response(STATUS[problem.code], text, headers)


def _response(status: int, body: str | None, headers: Mapping[str, str]) -> Response:
    return Response(body=body or "", status_code=status, headers={**CORS, **headers})
