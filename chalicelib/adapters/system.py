"""The machine's clock and its randomness."""

from __future__ import annotations

import secrets
import time

from ..kernel.draws import SEED_BYTES
from ..kernel.model import Instant


class SystemClock:
    """Real time, or `speed` times as fast from the moment it was made, or since an epoch second
    that several processes share."""

    def __init__(self, speed: int = 1, since: int = 0) -> None:
        if speed < 1:
            raise ValueError("speed is 1 or more")
        self.speed = speed
        self._began = since or time.time()

    def now(self) -> Instant:
        return int((self._began + (time.time() - self._began) * self.speed) * 1_000)

    def real(self) -> Instant:
        return int(time.time() * 1_000)

    def pause(self, milliseconds: float) -> None:
        time.sleep(max(0.0, milliseconds) / 1_000 / self.speed)


class SystemChance:
    """The operating system's randomness."""

    def seed(self) -> bytes:
        return secrets.token_bytes(SEED_BYTES)

    def pick(self, items: str, k: int) -> str:
        return "".join(secrets.choice(items) for _ in range(k))

    def jitter(self) -> float:
        return secrets.randbelow(1 << 20) / (1 << 20)
