"""The recipe of the dice: hashes and nothing else (docs/dice.md, with an example).

Nothing is imported from the server: this is API.md, "Dice that anyone can check", a second time.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping

DICE, FACES, CHAMBERS = 5, 6, 6


def sha256(data: bytes) -> str:
    """The SHA-256 of `data`, lowercase hex: what a commitment is."""
    return hashlib.sha256(data).hexdigest()


def keyed(key: bytes, text: str) -> bytes:
    """HMAC-SHA-256 of the UTF-8 `text` under `key`."""
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def entropy_digest(entropy: Mapping[str, str]) -> str:
    """E in hex: the players' values in the order of their ids, joined by line feeds."""
    return sha256("\n".join(entropy[player] for player in sorted(entropy)).encode())


def root_of(master: bytes, code: str, match: int, digest: str) -> bytes:
    """Where all dice of a match begin."""
    return keyed(master, f"sobremesa/1|{code}|{match}|{digest}")


def round_seed(root: bytes, number: int) -> bytes:
    """The seed of round `number`, from 1."""
    return keyed(root, f"round/{number}")


def words_of(seed: bytes, label: str) -> Iterator[int]:
    """The 32-bit words under a label, eight from each HMAC block."""
    counter = 0
    while True:
        block = keyed(seed, f"{label}#{counter}")
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def below(seed: bytes, n: int, label: str) -> int:
    """0 to `n` - 1: the first word that favours no remainder, modulo `n`."""
    limit = n * (2**32 // n)
    return next(word for word in words_of(seed, label) if word < limit) % n


def dice_of(seed: bytes, seat: int) -> list[int]:
    """The five dice of a seat in the round with this seed."""
    return [1 + below(seed, FACES, f"die/{seat}/{i}") for i in range(DICE)]


def chamber_of(seed: bytes, seat: int) -> int:
    """The chamber that comes up if this seat fires: dead if and only if it is <= bullets."""
    return 1 + below(seed, CHAMBERS, f"shot/{seat}")
