"""The world outside, in memory: what the ports promise, with every call counted and faults on
demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import count
from typing import Any, Final

from chalicelib.kernel.model import SECOND, Instant
from chalicelib.ports import (
    Conflict,
    Created,
    Finish,
    Gone,
    Moved,
    Page,
    Profile,
    Saving,
    Stored,
)
from chalicelib.ports import Device as PushDevice

BEGIN: Final[Instant] = 1_800_000_000_000


MANY: Final = 20_000
"""Calls that no test needs."""


class LostResponse(Exception):
    """The write was done, and nobody was told."""


class FakeClock:
    """Stands still. `now` and `real` are set by hand; `pause` moves both at once."""

    speed = 1

    def __init__(self, begin: Instant = BEGIN) -> None:
        self.at: Instant = begin
        self.really: Instant = begin
        self.pauses: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None
        """What happens during each pause."""

    def now(self) -> Instant:
        return self.at

    def real(self) -> Instant:
        return self.really

    def pause(self, milliseconds: float) -> None:
        self.pauses.append(milliseconds)
        self.wait(milliseconds / SECOND)
        self.meanwhile()

    def wait(self, seconds: float) -> None:
        """Time goes by."""
        self.at += round(seconds * SECOND)
        self.really += round(seconds * SECOND)


class FakeChance:
    """The same every time: hashes of a counter."""

    def __init__(self, name: str = "chance") -> None:
        self._name = name
        self._numbers = count()

    def seed(self) -> bytes:
        return sha256(f"{self._name}/{next(self._numbers)}".encode()).digest()

    def pick(self, items: str, k: int) -> str:
        return "".join(items[byte % len(items)] for byte in self.seed()[:k])

    def jitter(self) -> float:
        return self.seed()[0] / 256


class FakeBeat:
    """Notes the lanes whose beats were started."""

    def __init__(self) -> None:
        self.woken: list[str] = []
        self.relieved: list[str] = []
        self.broken = False
        """Starting one fails."""

    def wake(self, lane: str) -> None:
        self.woken.append(lane)
        self._start()

    def relieve(self, lane: str) -> None:
        self.relieved.append(lane)
        self._start()

    def _start(self) -> None:
        if self.broken:
            raise ConnectionError("nobody there")


class MemoryRooms:
    """Rooms in a dict; a lock makes each conditional write one step."""

    def __init__(self) -> None:
        self.items: dict[str, Saving] = {}
        self.leases: dict[str, tuple[str, Instant]] = {}
        self.calls: list[str] = []
        """`get CODE`, `put CODE` (refused ones too), `due`, `lease`, `take-lease`."""
        self.conflicts = 0
        """So many of the next writes are refused, as if somebody else had written the same."""
        self.before_put: list[Callable[[], None]] = []
        """What somebody else does just before the next writes, one each."""
        self.losing: list[str] = []
        """Of the next writes that succeed: `retried` loses the answer and has the SDK send it
        again; `lost` loses it for good."""
        self._lock = threading.Lock()

    def get(self, code: str, now: Instant) -> Stored | None:
        with self._lock:
            self.calls.append(f"get {code}")
            return self._current(code, now)

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        if self.before_put:
            self.before_put.pop(0)()
        with self._lock:
            self.calls.append(f"put {saving.code}")
            if self.conflicts:
                self.conflicts -= 1
                raise Conflict(self._current(saving.code, now))
            there = self.items.get(saving.code)
            if was is None:
                free = there is None or there.expires_at <= now // SECOND
            else:
                free = there is not None and there.version == was
            if not free:
                raise Conflict(self._current(saving.code, now))
            self.items[saving.code] = saving
            if self.losing:
                if self.losing.pop(0) == "lost":
                    raise LostResponse
                raise Conflict(self._current(saving.code, now))

    def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
        with self._lock:
            self.calls.append("due")
            assert len(self.calls) < MANY, "somebody asks without end"
            timed = (
                (item.wake_at, code)
                for code, item in self.items.items()
                if item.wake_at is not None and item.wake_at >= since and item.lane == lane
            )
            return sorted(timed)[:limit]

    def lease(self, lane: str) -> tuple[str, Instant]:
        with self._lock:
            self.calls.append("lease")
            return self.leases.get(lane, ("", 0))

    def many(self, codes: Sequence[str], now: Instant) -> dict[str, Stored]:
        with self._lock:
            self.calls.append("many")
            found = {code: self._current(code, now) for code in codes}
            return {code: stored for code, stored in found.items() if stored is not None}

    def lobby(self, game: str | None, limit: int, cursor: str | None, now: Instant) -> Page:
        if cursor is not None:
            raise ValueError("no cursor was given out")
        with self._lock:
            self.calls.append("lobby")
            listed = [
                json.loads(each.listing)
                for each in self.items.values()
                if each.listing is not None
                and game in (None, each.game)
                and each.expires_at > now // SECOND
            ]
            return Page(listed[:limit], None)

    def take_lease(self, lane: str, holder: str, since: Instant) -> None:
        with self._lock:
            self.calls.append("take-lease")
            self.leases[lane] = (holder, since)

    def drop_lease(self, lane: str, holder: str) -> None:
        with self._lock:
            self.calls.append("drop-lease")
            if self.leases.get(lane, ("", 0))[0] == holder:
                self.leases[lane] = ("", 0)

    def _current(self, code: str, now: Instant) -> Stored | None:
        item = self.items.get(code)
        if item is None or item.expires_at <= now // SECOND:
            return None
        return Stored(item.doc, item.version, 1)


class MemoryPlayers:
    """Profiles and memories in dicts, under one lock."""

    def __init__(self) -> None:
        self.known: dict[str, Profile] = {}
        self.counts: dict[tuple[str, str], int] = {}
        self.entered: dict[str, dict[str, int]] = {}
        self.buried: set[str] = set()
        """Of whom nothing is kept but the memory."""
        self.finished: dict[tuple[str, Instant, int], Finish] = {}
        self.phones: dict[str, dict[str, PushDevice]] = {}
        self.reached: dict[str, set[tuple[str, str]]] = {}
        """Endpoint -> (player, device)."""
        self.made: dict[tuple[str, str], tuple[Created, int]] = {}
        self.calls: list[str] = []
        self._lock = threading.Lock()

    def profile(self, player: str) -> Profile:
        with self._lock:
            self.calls.append("profile")
            return self.known.get(player, Profile())

    def profiles(self, players: Sequence[str]) -> dict[str, Profile]:
        with self._lock:
            self.calls.append("profiles")
            return {player: self.known[player] for player in players if player in self.known}

    def tally(self, whose: str, what: str, expires_at: int) -> int:
        with self._lock:
            self.calls.append("tally")
            self.counts[whose, what] = self.counts.get((whose, what), 0) + 1
            return self.counts[whose, what]

    def tallied(self, whose: str, what: str) -> int:
        with self._lock:
            self.calls.append("tallied")
            return self.counts.get((whose, what), 0)

    def enter(self, player: str, code: str, expires_at: int) -> None:
        with self._lock:
            self.calls.append("enter")
            self.entered.setdefault(player, {})[code] = expires_at

    def rooms(self, player: str, most: int) -> dict[str, int]:
        with self._lock:
            self.calls.append("rooms")
            return dict(sorted(self.entered.get(player, {}).items())[:most])

    def drop_room(self, player: str, code: str, until: int) -> None:
        with self._lock:
            self.calls.append("drop-room")
            if self.entered.get(player, {}).get(code, until + 1) <= until:
                del self.entered[player][code]

    def archive(self, finish: Finish) -> None:
        with self._lock:
            self.calls.append("archive")
            key = (finish.code, finish.created_at, finish.match)
            if key in self.finished:
                return
            for result in finish.results:
                now = self.known.get(result.player, Profile())
                if now.deleted_at >= finish.began_at:
                    raise Gone(result.player)
                if result.before is not None and now.rating != result.before:
                    raise Moved
            self.finished[key] = finish
            for result in finish.results:
                if result.after is not None:
                    before = self.known.get(result.player, Profile())
                    self.known[result.player] = before._replace(rating=result.after)

    def devices(self, player: str) -> list[PushDevice]:
        with self._lock:
            self.calls.append("devices")
            return list(self.phones.get(player, {}).values())

    def put_device(self, player: str, device: PushDevice) -> None:
        with self._lock:
            self.phones.setdefault(player, {})[device.device] = device
            self.reached.setdefault(device.endpoint, set()).add((player, device.device))

    def drop_device(self, player: str, device: str) -> PushDevice | None:
        with self._lock:
            dropped = self.phones.get(player, {}).pop(device, None)
            if dropped is not None:
                self.reached[dropped.endpoint].discard((player, device))
            return dropped

    def release(self, player: str, device: PushDevice) -> bool:
        with self._lock:
            there = self.reached.setdefault(device.endpoint, set())
            there.discard((player, device.device))
            return not there

    def bury(self, player: str, now: Instant, created: int, expires_at: int) -> bool:
        with self._lock:
            self.calls.append("bury")
            if self.known.get(player, Profile()).created > created:
                return False
            self.known[player] = Profile(created=created, deleted_at=now)
            self.buried.add(player)
            return True

    def erase(self, player: str) -> None:
        with self._lock:
            self.calls.append("erase")
            self.entered.pop(player, None)
            for phone in self.phones.pop(player, {}).values():
                self.reached[phone.endpoint].discard((player, phone.device))
            self.made = {key: value for key, value in self.made.items() if key[0] != player}
            self.counts = {key: value for key, value in self.counts.items() if key[0] != player}

    def __getattr__(self, name: str) -> Any:
        """Lists are tested over the real adapter."""
        raise NotImplementedError(name)

    def change_profile(self, player: str, changes: Profile) -> Profile | None:
        with self._lock:
            self.calls.append("change-profile")
            before = self.known.get(player, Profile())
            if before.created + (player in self.buried) > changes.created:
                return None
            self.buried.discard(player)
            after = before._replace(
                name=changes.name or before.name,
                locale=changes.locale or before.locale,
                created=changes.created,
            )
            self.known[player] = after
            return after

    def remember_creation(
        self, player: str, key_tag: str, creation: Created, now: Instant, expires_at: int
    ) -> Created:
        with self._lock:
            self.calls.append("remember-creation")
            before, until = self.made.get((player, key_tag), (creation, 0))
            if until > now // SECOND:
                return before
            self.made[player, key_tag] = (creation, expires_at)
            return creation

    def forget_creation(self, player: str, key_tag: str) -> None:
        with self._lock:
            self.calls.append("forget-creation")
            self.made.pop((player, key_tag), None)

    def renumber_creation(self, player: str, key_tag: str, creation: Created) -> None:
        with self._lock:
            self.calls.append("renumber-creation")
            self.made[player, key_tag] = (creation, self.made[player, key_tag][1])


class FakePush:
    """Phones that note what they are sent."""

    def __init__(self, *, configured: bool = False) -> None:
        self.configured = configured
        self.sent: list[tuple[str, dict[str, str]]] = []
        self.dead: set[str] = set()

    def register(self, platform: str, token: str) -> str | None:
        return f"{platform}/{token}" if self.configured else None

    def forget(self, endpoint: str) -> None:
        self.dead.add(endpoint)

    def send(self, endpoint: str, platform: str, message: Mapping[str, str]) -> bool:
        if endpoint in self.dead:
            return False
        self.sent.append((endpoint, dict(message)))
        return True
