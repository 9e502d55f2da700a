"""What outlives the process: the key, the room, and the request that has no answer yet.

Everything is on the disk before it is relied on: written beside, flushed, and then put in place, so
that a kill at any moment leaves the file before or the file after, and never half of one.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ..device import Device


class Unusable(Exception):  # names what happened
    """The folder cannot be used; the message is a key of the words, the path says where."""

    def __init__(self, key: str, path: Path) -> None:
        super().__init__(key)
        self.key = key
        self.path = path


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """A POST that may or may not have arrived: the same bytes go out again under the same key."""

    path: str
    key: str
    body: str
    at: int
    """When it was made, in epoch seconds of this machine."""


@dataclass(frozen=True, kw_only=True)
class State:
    """What is known between two runs against one server."""

    name: str = ""
    code: str = ""
    """The room, if any."""
    created: int = 0
    """Of the last signed POST, in epoch seconds: none may be older than the one before."""
    ahead: int = 0
    """Seconds by which the server's real clock is ahead of this machine's."""
    unanswered: Unanswered | None = None
    noted: dict[str, Any] | None = None
    """What the dice were promised to be, as it was seen before they were rolled."""


class Home:
    """A folder that is one player's, and one process's at a time."""

    def __init__(self, folder: Path) -> None:
        """Raises `Unusable` if another process has it, or if it is no folder to write in."""
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = (folder / "lock").open("a")
        except OSError:
            raise Unusable("home-broken", folder) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise Unusable("home-taken", folder) from None

    def close(self) -> None:
        self._lock.close()

    def device(self) -> Device:
        """Who plays: the key that is kept here, or a fresh one that from now on is. Raises
        `Unusable` rather than replace a key that cannot be read: a lost key is a lost player."""
        path = self.folder / "key.pem"
        if not path.exists():
            self._put(
                path,
                Ed25519PrivateKey.generate().private_bytes(
                    Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
                ),
            )
        try:
            key = load_pem_private_key(path.read_bytes(), None)
        except ValueError:
            raise Unusable("home-broken", path) from None
        if not isinstance(key, Ed25519PrivateKey):
            raise Unusable("home-broken", path)
        return Device(key=key)

    def state(self, url: str) -> State:
        """What was kept about a server. Raises `Unusable` if that cannot be read."""
        path = self._of(url)
        try:
            kept = json.loads(path.read_text("utf-8"))
            waiting = kept.pop("unanswered")
            return State(**kept, unanswered=Unanswered(**waiting) if waiting else None)
        except FileNotFoundError:
            return State()
        except (ValueError, TypeError, AttributeError, KeyError):
            raise Unusable("home-broken", path) from None

    def keep(self, url: str, state: State) -> None:
        """The state is on the disk."""
        self._put(self._of(url), json.dumps(asdict(state), indent=1).encode())

    def save(self, name: str, content: str) -> Path:
        """A file beside, for the person."""
        path = self.folder / name
        self._put(path, content.encode())
        return path

    def _of(self, url: str) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', url)}.json"

    def _put(self, path: Path, content: bytes) -> None:
        beside = path.with_name(f"{path.name}.new")
        with suppress(FileNotFoundError):
            beside.unlink()
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
