"""Where a list goes on, as text that clients pass back and cannot make up."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256


def sealed(of: str, key: str) -> str:
    """A cursor for `key` of the list that is called `of`. It holds no secret."""
    return urlsafe_b64encode(_check(of, key) + key.encode()).decode().rstrip("=")


def opened(of: str, cursor: str) -> str:
    """The key of a cursor. Raises `ValueError` for one that this list did not give out."""
    raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    key = raw[4:].decode()
    if raw[:4] != _check(of, key) or sealed(of, key) != cursor:
        raise ValueError("not a cursor")
    return key


def _check(of: str, key: str) -> bytes:
    return sha256(f"cursor\n{of}\n{key}".encode()).digest()[:4]
