"""The beat: deadlines fire second by second while any match is live (ARCHITECTURE 6).

Rooms are spread over lanes. Each has beats of its own, which take turns: the schedule starts one a
minute, and whoever holds the lane's lease is in charge (docs/adr/0008-lanes.md).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Final

from .kernel.model import SECOND, Instant
from .kernel.room import IDLE_SECONDS
from .ports import FIRST_LANE, lane_of
from .service import CODE_LETTERS, Service

log = logging.getLogger("sobremesa")

EVERY_MS: Final = 60_000
"""How often, by real time, the schedule starts a beat in every lane."""
BEAT_STEP_MS: Final = 1_000
"""How long a beat sleeps at most: a deadline set meanwhile is seen within that."""
QUIET_MS: Final = 8_000
"""With so much time of the rooms left until its successor comes, a beat leaves if nothing falls due
meanwhile: no phase is shorter, so none that opens now can either."""
WOKEN_MS: Final = 5_000
"""For so long a woken beat waits for the index to show the match that it was woken for."""
LOOK_MS: Final = 3_000
"""How often a beat looks, by real time, whether it is still in charge, and for stragglers."""
FRESH_MS: Final = 5_000
"""What has been due for longer is a straggler: it failed, or nobody was there in time."""
BEAT_BATCH: Final = 50
IDLE_MS: Final = IDLE_SECONDS * SECOND
"""What has been due for longer belongs to a room that has expired."""
FANOUT: Final = 8
"""How many lanes a scheduled beat hands the schedule on to."""
MOST_CHORES: Final = 1_000
"""With so many waiting, nobody is sent a notice any more."""

Entry = tuple[Instant, str]
"""When a room falls due, and its code."""


def beat(service: Service, lane: str = FIRST_LANE, *, woken: bool, seconds: float) -> int:
    """The lane's deadlines have fired as they came: (how many rooms). Returns at once when no match
    is live or, `woken`, when another beat is in charge; early if nothing falls due before the next
    scheduled one; else when a successor has taken over, or after `seconds` of real time. A
    scheduled beat has started those of further lanes."""
    shift = _Shift(service, lane, woken=woken, seconds=seconds)
    while not shift.is_over():
        try:
            shift.step()
        except Exception:  # the next one may not fail
            log.exception("beat: a step failed")
            service.clock.pause(BEAT_STEP_MS * service.clock.speed)
    shift.end()
    return shift.fired


class _Shift:
    """One beat's time in charge of a lane: deadlines first, then one chore at a time."""

    def __init__(self, service: Service, lane: str, *, woken: bool, seconds: float) -> None:
        self.fired = 0
        self._service = service
        self._clock = service.clock
        self._rooms = service.rooms
        self._lane = lane
        self._woken = woken
        self._began = service.clock.real()
        self._lasts_ms = seconds * SECOND
        self._me = service.chance.pick(CODE_LETTERS, 12)
        self._in_charge = self._leaving = self._done = False
        self._looked_at: Instant = 0
        self._stepped_at = self._since = service.clock.now()
        """What falls due from `_since` on comes first; what is older is a straggler. A chore that
        takes long must not make stragglers of others."""
        self._tried: dict[Entry, tuple[float, float]] = {}
        """Not again before this instant of real time, and how long that is from the last try."""
        self._chores: deque[Callable[[], object]] = deque()
        self._woken_lanes: set[str] = set()
        if not woken:
            self._pass_on()

    def is_over(self) -> bool:
        return self._done or self._clock.real() - self._began >= self._lasts_ms

    def step(self) -> None:
        """What is due has fired, a chore is done or the next deadline nearer; or it is over."""
        if not self._in_charge and not self._leaving:
            self._begin()
        if self._in_charge and self._clock.real() - self._looked_at >= LOOK_MS:
            self._look()
        if self._done:
            return
        now = self._clock.now()
        self._since, self._stepped_at = self._stepped_at - FRESH_MS, now
        tried = sum(at >= self._since for at, _ in self._tried)
        coming = self._due(self._since, BEAT_BATCH + tried)
        open_ = [entry for entry in coming if entry not in self._tried]
        if self._may_leave(coming, open_):
            self._leave()
            return
        if self._leaving and not self._stays():
            return
        due = [entry for entry in open_ if entry[0] <= self._clock.now()]
        for entry in due:
            if self.is_over():
                return
            self._fire(entry)
        if self._chores:
            self._do_chore()
        elif not due:
            self._rest([at for at, _ in open_])

    def end(self) -> None:
        """Nobody waits for this beat any more, and notices have been sent."""
        if self._in_charge:
            self._chores.appendleft(partial(self._rooms.drop_lease, self._lane, self._me))
            self._do_chore()
        while self._chores and self._clock.real() - self._began < self._lasts_ms:
            self._do_chore()

    # --- in charge or not ------------------------------------------------------------------------

    def _begin(self) -> None:
        holder, since = self._rooms.lease(self._lane)
        if self._woken and holder and self._began - since < self._lasts_ms:
            self._done = True
            return
        if not self._woken and not self._due(self._clock.now() - IDLE_MS, 1):
            self._done = True
            if holder:  # perhaps a beat that died, and would turn away whom a start wakes
                self._rooms.drop_lease(self._lane, holder)
            return
        self._take_charge()

    def _take_charge(self) -> None:
        self._rooms.take_lease(self._lane, self._me, self._clock.real())
        self._in_charge = True

    def _may_leave(self, coming: list[Entry], open_: list[Entry]) -> bool:
        """Nothing is live, or nothing falls due until the successor is here."""
        if self._chores:
            return False
        lasted = self._clock.real() - self._began
        if not coming:
            return not self._woken or lasted >= WOKEN_MS
        left = (EVERY_MS - lasted) * self._clock.speed
        quiet = all(at > self._clock.now() + QUIET_MS for at, _ in open_)
        return not self._woken and quiet and 0 < left < QUIET_MS

    def _leave(self) -> None:
        """A match may have begun that the index does not show yet, and whoever it woke may have
        seen this beat: nobody sees it from here on, and it looks once more."""
        if self._leaving:
            self._done = True
            return
        self._search()
        if self._chores:
            return
        self._rooms.drop_lease(self._lane, self._me)
        self._in_charge, self._leaving = False, True
        self._clock.pause(BEAT_STEP_MS * self._clock.speed)

    def _stays(self) -> bool:
        """There is something to do after all, unless somebody else does it by now."""
        self._leaving = False
        holder, _ = self._rooms.lease(self._lane)
        if holder:
            self._done = True
        else:
            self._take_charge()
        return self._in_charge

    def _look(self) -> None:
        """Somebody else may be in charge by now."""
        self._looked_at = self._clock.real()
        holder, _ = self._rooms.lease(self._lane)
        if holder not in (self._me, ""):
            self._done, self._in_charge = True, False
            return
        if not holder:
            self._take_charge()
        self._search()

    def _search(self) -> None:
        """What has been due for long is among the chores, unless it has just been tried."""
        now = self._clock.real()
        waiting = sum(at < self._since for at, _ in self._tried)
        found = self._due(self._clock.now() - IDLE_MS, BEAT_BATCH + waiting)
        late = {entry for entry in found if entry[0] < self._since}
        self._tried = {
            entry: tried
            for entry, tried in self._tried.items()
            if entry[0] >= self._since or entry in late
        }
        for entry in sorted(late):
            again_at, wait = self._tried.get(entry, (0, 0))
            if again_at <= now:
                self._tried[entry] = (inf, wait)
                self._chores.append(partial(self._fire, entry))

    # --- what is to be done ----------------------------------------------------------------------

    def _due(self, since: Instant, limit: int) -> list[Entry]:
        return self._rooms.due(self._lane, since, limit)

    def _fire(self, entry: Entry) -> None:
        """One room has had its turn. If it fails, that must not hold up the others, and the longer
        it does the less often it is tried."""
        at, code = entry
        wait = max(LOOK_MS, 2 * self._tried.get(entry, (0, 0))[1])
        self._tried[entry] = (self._clock.real() + wait, wait)
        try:
            found = self._service.fire(code)
        except Exception:  # isolated, logged, tried again
            log.exception("beat: room failed")
        else:
            self.fired += 1
            if len(self._chores) < MOST_CHORES:
                self._chores.extend(partial(self._service.notify, (each,)) for each in found)
        late = (self._clock.now() - at) // self._clock.speed
        log.info("fired", extra={"metric": "BeatLateness", "value": late})
        self._wake_home_of(code)

    def _wake_home_of(self, code: str) -> None:
        """The room is in a lane of its own since this write, if there are more lanes than there
        were: perhaps nobody beats there yet."""
        home = lane_of(code, self._service.lanes)
        if home != self._lane and home not in self._woken_lanes:
            self._woken_lanes.add(home)
            self._chores.append(partial(self._service.beating.wake, home))

    def _pass_on(self) -> None:
        """The schedule starts the first lane's beat alone; each starts those of some more."""
        first = FANOUT * int(self._lane) + 1
        for number in range(first, min(first + FANOUT, self._service.lanes)):
            self._chores.append(partial(self._service.beating.relieve, str(number)))

    def _do_chore(self) -> None:
        try:
            self._chores.popleft()()
        except Exception:  # best effort: the next minute comes
            log.exception("beat: a chore failed")

    def _rest(self, open_: list[Instant]) -> None:
        """Until the next of them, and a step at most."""
        now = self._clock.now()
        step = BEAT_STEP_MS * self._clock.speed
        self._clock.pause(min([step, *(max(1, at - now) for at in open_)]))
