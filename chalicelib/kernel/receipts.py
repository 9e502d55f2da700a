"""Receipts: what makes a repeated request harmless (C-5).

A receipt is one short string: a tag of (player, key) and a tag of (player, key, body). The decision
is not kept either: it would tell in which round somebody signalled, and the same bytes bring it
again. Neither key nor body is kept: a ballot has few possible bodies, so a plain digest of it
could be guessed; with an unguessable key in the hash it cannot.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from .draws import Draws
from .errors import KeyReused
from .model import Model

KEPT = 3
"""Receipts kept of each member, whatever the decision."""

_TAG_BYTES = 6


@dataclass(frozen=True)
class Request:
    """Who asks, when by the device's clock (epoch seconds), under which key, with which bytes."""

    player: str
    created: int
    key: str
    body: bytes

    @cached_property
    def key_tag(self) -> str:
        return _tag(self.player, self.key)

    @cached_property
    def body_tag(self) -> str:
        return _tag(self.player, self.key, self.body)


class Receipt(Model):
    """What the accepted request was given."""

    idempotency_key: str
    decision: int | None = None


def _tag(player: str, key: str, body: bytes | None = None) -> str:
    text = f"{player}\n{key}".encode() + (b"" if body is None else b"\n" + body)
    return urlsafe_b64encode(hashlib.sha256(text).digest()[:_TAG_BYTES]).decode()


def packed(request: Request) -> str:
    """The receipt as stored."""
    return request.key_tag + request.body_tag


def known(kept: Iterable[str], request: Request) -> bool:
    """This request was accepted before. Raises `KeyReused` when its key came with another body."""
    for line in kept:
        if line.startswith(request.key_tag):
            if line != packed(request):
                raise KeyReused
            return True
    return False


def added(kept: tuple[str, ...], request: Request, *, quiet: bool = False) -> tuple[str, ...]:
    """`kept` with this request's receipt, the oldest dropped. The first is that of the last request
    that was not `quiet`: a quiet one leaves no time by which a late duplicate of the former could
    be known, so that it must not push out its receipt."""
    first, others = kept[:1], kept[1:]
    if quiet and first:
        return (*first, *(*others, packed(request))[1 - KEPT :])
    return (packed(request), *(*others, *first)[1 - KEPT :])


def padded(kept: tuple[str, ...], chance: bytes) -> tuple[str, ...]:
    """As many as can be kept, those that are missing made up from `chance`: how many somebody has
    would tell who has answered (CC-5)."""
    made = Draws(chance)
    missing = (
        "".join(urlsafe_b64encode(made.seed(n, part)[:_TAG_BYTES]).decode() for part in "kb")
        for n in range(KEPT - len(kept))
    )
    return (*kept[:1], *missing, *kept[1:])
