"""The beat: deadlines fire second by second while any match is live (ARCHITECTURE 6).

Rooms are spread over lanes. Each has beats of its own, which take turns: the schedule starts one a
minute, and whoever holds the lane's lease is in charge.
"""

from __future__ import annotations

import logging
from typing import Final

from .kernel.model import SECOND, Instant
from .kernel.room import IDLE_SECONDS
from .ports import FIRST_LANE
from .service import CODE_LETTERS, Service

log = logging.getLogger("sobremesa")

EVERY_MS: Final = 60_000
"""How often, by real time, the schedule starts a beat in every lane."""
BEAT_STEP_MS: Final = 1_000
"""How long a beat sleeps at most: a deadline set meanwhile is seen within that."""
QUIET_MS: Final = 8_000
"""With so much time of the rooms left until its successor comes, a beat leaves if nothing falls due
meanwhile: no phase is shorter, so none that opens now can either (docs/adr/0008-lanes.md)."""
LOOK_MS: Final = 2_000
"""How often a beat looks, by real time, whether it is still in charge, and tries again what
failed."""
BEAT_BATCH: Final = 50
IDLE_MS: Final = IDLE_SECONDS * SECOND
"""What has been due for longer belongs to a room that has expired."""
FANOUT: Final = 8
"""How many lanes a scheduled beat hands the schedule on to."""


def beat(service: Service, lane: str = FIRST_LANE, *, woken: bool, seconds: float) -> int:
    """The lane's deadlines have fired as they came: (how many rooms). Returns at once when no match
    is live or, `woken`, when another beat is in charge; early if nothing falls due before the next
    scheduled one; else when a successor has taken over, or after `seconds` of real time. A
    scheduled beat has started those of further lanes first."""
    began = service.clock.real()
    if woken:
        holder, since = service.rooms.lease(lane)
        if holder and began - since < seconds * SECOND:
            return 0
    else:
        _pass_on(service, lane)
        if not _due(service, lane, BEAT_BATCH):
            return 0
    relieved_at = None if woken else began + EVERY_MS
    return _Shift(service, lane, relieved_at).work(began + seconds * SECOND)


class _Shift:
    """One beat's time in charge of a lane."""

    def __init__(self, service: Service, lane: str, relieved_at: Instant | None) -> None:
        self._service = service
        self._clock = service.clock
        self._rooms = service.rooms
        self._lane = lane
        self._relieved_at = relieved_at
        """When a successor is expected, by real time; None if that is not known."""
        self._me = service.chance.pick(CODE_LETTERS, 12)
        self._handled: dict[str, Instant] = {}
        """What was due in each room: the index may lag, and a room that fails must wait."""

    def work(self, ends_at: float) -> int:
        """How many rooms have fired until then, or until there is no more to do."""
        fired, leaving = 0, False
        looked_at = self._take_charge()
        while self._clock.real() < ends_at:
            coming = _due(self._service, self._lane, BEAT_BATCH + len(self._handled))
            open_ = [(at, code) for at, code in coming if self._handled.get(code) != at]
            if self._may_leave(coming, open_):
                if leaving:
                    return fired
                # a match may have begun that the index does not show yet, and whoever it woke may
                # have seen this beat: nobody sees it from here on, and it looks once more
                self._rooms.take_lease(self._lane, "", 0)
                leaving, looked_at = True, 0
                self._clock.pause(BEAT_STEP_MS * self._clock.speed)
                continue
            leaving = False
            due = [(at, code) for at, code in open_ if at <= self._clock.now()]
            for at, code in due:
                fired += self._fire(at, code)
            if not due:
                self._rest([at for at, _ in open_])
            if self._clock.real() - looked_at >= LOOK_MS:
                holder, _ = self._rooms.lease(self._lane)
                if holder not in (self._me, ""):
                    return fired
                looked_at = self._clock.real() if holder else self._take_charge()
                self._handled.clear()
        return fired

    def _take_charge(self) -> Instant:
        """When that was, by real time."""
        now = self._clock.real()
        self._rooms.take_lease(self._lane, self._me, now)
        return now

    def _may_leave(
        self, coming: list[tuple[Instant, str]], open_: list[tuple[Instant, str]]
    ) -> bool:
        """Nothing is live, or nothing falls due until the successor is here."""
        if not coming:
            return True
        if self._relieved_at is None:
            return False
        left = (self._relieved_at - self._clock.real()) * self._clock.speed
        quiet = all(at > self._clock.now() + QUIET_MS for at, _ in open_)
        return quiet and 0 < left < QUIET_MS

    def _fire(self, at: Instant, code: str) -> bool:
        """One room has had its turn; if it fails, that must not hold up the others."""
        self._handled[code] = at
        try:
            self._service.fire(code)
        except Exception:  # isolated, logged, tried again
            log.exception("beat: room failed")
            return False
        finally:
            late = (self._clock.now() - at) // self._clock.speed
            log.info("fired", extra={"metric": "BeatLateness", "value": late})
        return True

    def _rest(self, open_: list[Instant]) -> None:
        """Until the next of them, and a step at most."""
        now = self._clock.now()
        step = BEAT_STEP_MS * self._clock.speed
        self._clock.pause(min([step, *(max(1, at - now) for at in open_)]))


def _due(service: Service, lane: str, limit: int) -> list[tuple[Instant, str]]:
    """What falls due next, rooms that have expired left out."""
    return service.rooms.due(lane, service.clock.now() - IDLE_MS, limit)


def _pass_on(service: Service, lane: str) -> None:
    """The schedule starts the first lane's beat alone; each starts those of some more, best
    effort: the next minute comes."""
    first = FANOUT * int(lane) + 1
    for number in range(first, min(first + FANOUT, service.lanes)):
        try:
            service.beating.relieve(str(number))
        except Exception:  # the other lanes have theirs
            log.exception("the beat of a lane could not be started")
