"""The beat: deadlines fire second by second while any match is live (ARCHITECTURE 6)."""

from __future__ import annotations

import logging
from typing import Final

from .kernel.model import SECOND, Instant
from .kernel.room import IDLE_SECONDS
from .ports import LANE
from .service import CODE_LETTERS, Service

log = logging.getLogger("sobremesa")

BEAT_STEP_MS: Final = 1_000
"""How long a beat sleeps at most: a deadline set meanwhile is seen within that."""
BEAT_BATCH: Final = 50
IDLE_MS: Final = IDLE_SECONDS * SECOND
"""What has been due for longer belongs to a room that has expired."""
LEASE_MS: Final = 5_000
"""How often a beat says by real time that it is alive, and looks whether it still should be."""


def beat(service: Service, *, woken: bool, seconds: float) -> int:
    """Deadlines have fired as they came: (how many rooms). Returns at once when no match is
    live or, `woken`, when another beat is alive; when a successor has taken over; else
    after `seconds` of real time."""
    real = service.clock.real
    ends_at = real() + seconds * SECOND
    holder, seen_at = service.rooms.lease(LANE)
    if woken and holder and real() - seen_at < 3 * LEASE_MS:
        return 0
    if not woken and not _coming(service):
        return 0
    me = service.chance.pick(CODE_LETTERS, 12)
    service.rooms.take_lease(LANE, me, real())
    marked_at, fired, leaving = real(), 0, False
    handled: dict[str, Instant] = {}  # the index may lag, and a room that fails must wait
    while real() < ends_at:
        coming = _coming(service, len(handled))
        if not coming and leaving:
            return fired
        if not coming:
            # a match may have begun that the index does not show yet, and whoever it woke may
            # have seen this beat alive: nobody sees it from here on, and it looks once more
            service.rooms.take_lease(LANE, "", 0)
            leaving, marked_at = True, 0
            service.clock.pause(BEAT_STEP_MS * service.clock.speed)
            continue
        leaving = False
        now = service.clock.now()
        open_ = [(at, code) for at, code in coming if handled.get(code) != at]
        due = [(at, code) for at, code in open_ if at <= now]
        for at, code in due:
            fired += _fired(service, code)
            late = (service.clock.now() - at) // service.clock.speed
            log.info("fired", extra={"metric": "BeatLateness", "value": late})
            handled[code] = at
        if not due:
            step = BEAT_STEP_MS * service.clock.speed
            service.clock.pause(min([step, *(max(1, at - now) for at, _ in open_)]))
        if real() - marked_at >= LEASE_MS:
            if service.rooms.lease(LANE)[0] not in (me, ""):
                return fired
            service.rooms.take_lease(LANE, me, real())
            marked_at = real()
            handled.clear()
    return fired


def _coming(service: Service, besides: int = 0) -> list[tuple[Instant, str]]:
    """What falls due next, rooms that have expired left out; `besides` those that had their turn
    and may stand in front still."""
    return service.rooms.due(LANE, service.clock.now() - IDLE_MS, BEAT_BATCH + besides)


def _fired(service: Service, code: str) -> bool:
    """One room that fails must not hold up the others."""
    try:
        service.fire(code)
    except Exception:  # isolated, logged, tried again
        log.exception("beat: room failed")
        return False
    return True
