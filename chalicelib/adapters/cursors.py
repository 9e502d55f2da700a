"""Where a list goes on, as text that clients pass back.

The check finds out what was garbled or given out by another list. It has no key, so anybody can
make a cursor up: each list says what its keys look like, and starts nowhere else. What is made up
shows what the list shows to everybody, from another place on; only ranks on the ladder count from
the one in the cursor.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final

LONGEST: Final = 128


def sealed(of: str, key: str) -> str:
    """A cursor for `key` of the list that is called `of`. It holds no secret."""
    return urlsafe_b64encode(_check(of, key) + key.encode()).decode().rstrip("=")


def opened(of: str, cursor: str, form: re.Pattern[str]) -> re.Match[str]:
    """The key of a cursor, in parts. Raises `ValueError` for one that this list cannot have given
    out."""
    if len(cursor) > LONGEST:
        raise ValueError("not a cursor")
    raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    key = raw[4:].decode()
    parts = form.fullmatch(key)
    if parts is None or sealed(of, key) != cursor:
        raise ValueError("not a cursor")
    return parts


@contextmanager
def going_on(client: Any, cursor: str | None) -> Iterator[None]:
    """Raises `ValueError` where DynamoDB refuses to start at the cursor."""
    try:
        yield
    except client.exceptions.ClientError as refused:
        if cursor is None or refused.response["Error"]["Code"] != "ValidationException":
            raise
        raise ValueError("not a cursor") from None


def _check(of: str, key: str) -> bytes:
    return sha256(f"cursor\n{of}\n{key}".encode()).digest()[:4]
