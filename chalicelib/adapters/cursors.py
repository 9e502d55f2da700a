"""Where a list goes on, as text that clients pass back and cannot make up."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256


def sealed(key: str) -> str:
    """A cursor for `key`. It holds nothing that the list itself does not show."""
    return urlsafe_b64encode(_check(key) + key.encode()).decode().rstrip("=")


def opened(cursor: str) -> str:
    """The key of a cursor. Raises `ValueError` for one that was not given out."""
    raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    key = raw[4:].decode()
    if raw[:4] != _check(key) or sealed(key) != cursor:
        raise ValueError("not a cursor")
    return key


def _check(key: str) -> bytes:
    return sha256(b"cursor\n" + key.encode()).digest()[:4]
