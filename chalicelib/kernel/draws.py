"""Every random choice, by label, from one secret seed (API.md, "Dice that anyone can check").

A label names the thing drawn, never the order of calls, so any recomputation agrees and a
client in any language can check it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final, TypeVar

SEED_BYTES: Final = 32
_WORDS: Final = Struct(">8I")
_SPAN: Final = 1 << 32

Label = str | int
T = TypeVar("T")


def keyed(seed: bytes, text: str) -> bytes:
    """HMAC-SHA-256 of the UTF-8 `text` under `seed`: 32 bytes."""
    return hmac.digest(seed, text.encode(), "sha256")


def commitment(seed: bytes) -> str:
    """What may be published before `seed` is: its SHA-256, lowercase hex."""
    return hashlib.sha256(seed).hexdigest()


class Draws:
    """Unbiased draws from one 256-bit seed. Two draws with one label are the same draw."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError("a seed is 32 bytes")
        self._seed = seed

    def __repr__(self) -> str:  # a seed must not reach a log by way of a traceback
        return "Draws(<secret>)"

    def _words(self, label: str) -> Iterator[int]:
        counter = 0
        while True:
            yield from _WORDS.unpack(keyed(self._seed, f"{label}#{counter}"))
            counter += 1

    def below(self, n: int, *label: Label) -> int:
        """An integer from 0 to `n` - 1."""
        return _bounded(self._words(_joined(label)), n)

    def rolls(self, k: int, n: int, *label: Label) -> tuple[int, ...]:
        """`k` independent integers from 0 to `n` - 1 under one label: eight for one HMAC."""
        words = self._words(_joined(label))
        return tuple(_bounded(words, n) for _ in range(k))

    def shuffled(self, items: Sequence[T], *label: Label) -> tuple[T, ...]:
        """All `items`, every order equally likely."""
        return self.sample(items, len(items), *label)

    def sample(self, items: Sequence[T], k: int, *label: Label) -> tuple[T, ...]:
        """`k` different ones of `items`, every ordered choice equally likely."""
        pool = list(items)
        if not 0 <= k <= len(pool):
            raise ValueError("cannot sample more than there are")
        words = self._words(_joined(label))
        for i in range(k):
            j = i + _bounded(words, len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return tuple(pool[:k])

    def seed(self, *label: Label) -> bytes:
        """The seed of `fork(*label)`; whoever learns it learns nothing of this one."""
        return keyed(self._seed, _joined(label))

    def fork(self, *label: Label) -> Draws:
        """Draws of their own, one way: they cannot tell what this seed draws."""
        return Draws(self.seed(*label))


def _joined(label: tuple[Label, ...]) -> str:
    return "/".join(map(str, label))


def _bounded(words: Iterator[int], n: int) -> int:
    """The first word that leaves no remainder's bias, modulo `n`."""
    if not 0 < n <= _SPAN:
        raise ValueError("draw below 1 to 2**32")
    limit = n * (_SPAN // n)
    return next(word for word in words if word < limit) % n
