"""Deadlines fire by themselves, with nobody polling; and who fires them, how often and how late
changes nothing that a poll would not have done (ARCHITECTURE 6)."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest

from chalicelib import beat as beats
from chalicelib.adapters.beat import EVENT, LambdaBeat
from chalicelib.beat import BEAT_STEP_MS, EVERY_MS, LOOK_MS, QUIET_MS
from chalicelib.kernel.model import Instant
from chalicelib.ports import FIRST_LANE, Conflict, Saving, lane_of
from infra.local.client import Client
from infra.local.server import Server
from tests.fakes import BEGIN, FakeChance, FakeClock, FakePush, MemoryRooms
from tests.world import DiceRoom, World, room_doc

TURN, REVEAL = 15, 8
LONG = 10_000
"""Seconds in which everything is over."""
LAST_LOOK = BEAT_STEP_MS / 1_000
"""A beat that sees no match any more looks once again so much later."""


def table(world: World, players: int = 4) -> DiceRoom:
    """A match that has just begun, with the shortest turns."""
    return DiceRoom(world, players, {"turn_seconds": TURN}).start()


def beat(world: World, seconds: float = LONG, *, woken: bool = False) -> int:
    return beats.beat(world.service, woken=woken, seconds=seconds)


def state(room: DiceRoom) -> Any:
    """The match's state, as it lies in the store."""
    return room_doc(room.world.rooms, room.code)["match"]["state"]


def lasting(clock: FakeClock, since: Instant) -> float:
    return (clock.at - since) / 1_000


# --- a deadline ---------------------------------------------------------------------------------


def test_a_turn_that_lapses_kills_its_player_once(world: World) -> None:
    room = table(world)
    turn = room.match["public"]["turn"]
    world.rooms.calls.clear()
    beat(world, TURN + 1)
    assert world.clock.at == BEGIN + (TURN + 1) * 1_000
    after = state(room)
    assert after["reveal"]["kind"] == "timeout"
    (shot,) = after["reveal"]["shots"]
    assert shot[:2] == [turn, 6]
    assert after["position"] == [4 if seat == turn else 0 for seat in range(4)]
    assert after["decision"] == 2
    assert [call for call in world.rooms.calls if room.code in call] == [
        f"get {room.code}",
        f"put {room.code}",
    ]


def test_a_turn_that_has_not_lapsed_kills_nobody(world: World) -> None:
    room = table(world)
    before = world.stored()
    beat(world, TURN - 0.5)
    assert world.stored() == before
    assert state(room)["decision"] == 1


def test_a_match_that_everybody_abandoned_ends_by_itself(world: World) -> None:
    room = table(world)
    beat(world)
    assert lasting(world.clock, BEGIN) == 3 * (TURN + REVEAL) + LAST_LOOK
    assert room.match["outcome"]["status"] == "completed"
    assert world.rooms.items[room.code].wake_at is None


def test_a_claim_that_nobody_answers_makes_a_new_host(world: World) -> None:
    room = DiceRoom(world, 2)
    assert room.guests[0].act(room.code, "claim-host").status == 200
    beat(world)
    assert lasting(world.clock, BEGIN) == 60 + LAST_LOOK
    assert room_doc(world.rooms, room.code)["host"] == room.guests[0].id


class TimedRooms(MemoryRooms):
    """Notes when by the clock each write was made."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        self.late: list[float] = []

    def put(self, saving: Saving, was: int | None, now: Instant) -> None:
        self.late.append(self._clock.at - json.loads(saving.doc)["at"])
        super().put(saving, was, now)


def test_each_deadline_fires_when_it_comes(world: World) -> None:
    rooms = TimedRooms(world.clock)
    world = World(rooms=rooms, clock=world.clock)
    for _ in range(3):
        table(world)
        world.clock.wait(0.777)
    rooms.late.clear()
    beat(world)
    assert len(rooms.late) == 3 * 7  # the last of each says that the result is kept
    assert rooms.late == [0] * len(rooms.late)


def test_a_deadline_that_is_set_while_the_beat_waits_is_seen_within_a_second(
    world: World,
) -> None:
    rooms = TimedRooms(world.clock)
    world = World(rooms=rooms, clock=world.clock)
    DiceRoom(world, 2, {"turn_seconds": 180}).start()
    later: list[DiceRoom] = []

    def somebody_starts() -> None:
        if len(world.clock.pauses) == 3:
            later.append(table(world, 2))
            rooms.late.clear()

    world.clock.meanwhile = somebody_starts
    beat(world, 60)
    assert state(later[0])["over"]
    assert max(rooms.late) <= BEAT_STEP_MS
    assert max(world.clock.pauses) <= BEAT_STEP_MS


def test_bots_move_with_nobody_looking(world: World) -> None:
    room = DiceRoom(world, 1, {"turn_seconds": TURN})
    for _ in range(2):
        room.host.act(room.code, "add-bot")
    room.start()
    beat(world)
    assert room_doc(world.rooms, room.code)["match"]["state"]["over"]


# --- whoever fires it ---------------------------------------------------------------------------


def twice(world: World, code: str) -> None:
    beat(world)
    beat(world)


def minute_by_minute(world: World, code: str = "") -> None:
    """What fails is tried again after a while, and by the next beat of the schedule."""
    for _ in range(5):
        since = world.clock.at
        beat(world)
        world.clock.wait(max(0.0, EVERY - lasting(world.clock, since)))


def late(world: World, code: str) -> None:
    world.clock.wait(1_000)
    beat(world)


def late_in_the_middle(world: World, code: str) -> None:
    beat(world, 20)
    world.clock.wait(31)
    beat(world)


def in_small_pieces(world: World, code: str) -> None:
    for _ in range(200):
        beat(world, 0.5)


def early(world: World, code: str) -> None:
    for _ in range(3):
        world.service.fire(code)
    beat(world)


def never(world: World, code: str) -> None:
    world.clock.wait(1_000)


def polled_meanwhile(world: World, code: str) -> None:
    guest = world.person("Guest 1")
    world.clock.meanwhile = lambda: guest.view(code)
    beat(world)


def polled_alone(world: World, code: str) -> None:
    for _ in range(200):
        world.person("Guest 2").view(code)
        world.clock.wait(0.7)


def overlapping(world: World, code: str) -> None:
    """Another machine fires the room just before each write of this one."""
    other = World(rooms=world.rooms, players=world.players)

    def fire() -> None:
        other.clock.at = world.clock.at
        rest, world.rooms.before_put = world.rooms.before_put, []
        other.service.fire(code)
        world.rooms.before_put = rest

    world.rooms.before_put = [fire] * 20
    beat(world)
    assert len(world.rooms.before_put) == 20 - 6


def conflicting(world: World, code: str) -> None:
    world.rooms.conflicts = 7
    minute_by_minute(world)


def losing_answers(world: World, code: str) -> None:
    world.rooms.losing = ["retried", "lost"] * 3
    minute_by_minute(world)


class Killed(BaseException):
    """Lambda ends the process: nothing catches that."""


def killed_halfway(world: World, code: str) -> None:
    """The process dies just before a write, its lease in hand: after none, one, two... writes,
    the archive's among them. The next beat of the schedule takes over each time."""

    def die() -> None:
        raise Killed

    def live() -> None:
        return

    for writes in range(5):
        world.rooms.before_put = [*[live] * writes, die]
        with suppress(Killed):
            beat(world)
        assert beat(world, woken=True) == 0, "the dead one's lease still holds"
    beat(world)


@pytest.mark.parametrize(
    "fired_by",
    [
        pytest.param(twice, id="a beat that comes twice"),
        pytest.param(late, id="a beat that comes when all is over"),
        pytest.param(late_in_the_middle, id="a beat that stops in the middle and comes late"),
        pytest.param(in_small_pieces, id="many short beats"),
        pytest.param(early, id="a firing that comes too early"),
        pytest.param(never, id="no beat at all"),
        pytest.param(polled_meanwhile, id="a beat and a poll in turns"),
        pytest.param(polled_alone, id="polls alone"),
        pytest.param(overlapping, id="two beats that overlap"),
        pytest.param(conflicting, id="a beat whose writes conflict"),
        pytest.param(killed_halfway, id="beats that are killed halfway"),
        pytest.param(losing_answers, id="a beat whose writes lose their answers"),
    ],
)
def test_the_room_ends_as_under_one_perfect_beat(fired_by: Callable[[World, str], None]) -> None:
    perfect, other = table(World()), table(World())
    beat(perfect.world)
    fired_by(other.world, other.code)
    other.guests[0].view(other.code)  # at the latest now, all has happened
    assert without_keys(other) == without_keys(perfect)


def without_keys(room: DiceRoom) -> tuple[Any, ...]:
    """The stored room, without what depends on the keys of its requests."""
    saved = room.world.rooms.items[room.code]
    doc = json.loads(saved.doc)
    for member in doc["members"]:
        del member["receipts"]
    del doc["made_by"]
    return doc, saved.version, saved.wake_at, saved.expires_at


# --- who beats ----------------------------------------------------------------------------------


def test_a_beat_returns_at_once_when_no_match_is_live(world: World) -> None:
    DiceRoom(world, 2)  # a lobby
    assert beat(world) == 0
    assert world.clock.pauses == []
    assert world.rooms.lease(FIRST_LANE) == ("", 0)


def test_a_beat_returns_when_the_last_match_is_over(world: World) -> None:
    table(world)
    assert beat(world) == 6
    assert world.rooms.lease(FIRST_LANE) == ("", 0)


def test_a_beat_ends_after_its_seconds(world: World) -> None:
    DiceRoom(world, 2, {"turn_seconds": 180}).start()
    assert beat(world, 150, woken=True) == 0
    assert 150 <= lasting(world.clock, BEGIN) <= 151


@pytest.mark.parametrize(
    ("seconds", "fires"),
    [
        pytest.param(0, False, id="now"),
        pytest.param(149, False, id="not long ago"),
        pytest.param(150, True, id="longer ago than any lives"),
    ],
)
def test_a_woken_beat_returns_when_another_is_in_charge_since(
    world: World, seconds: int, fires: bool
) -> None:
    room = table(world)
    world.clock.wait(TURN + 1)
    world.rooms.take_lease(FIRST_LANE, "another", world.clock.really - seconds * 1_000)
    beat(world, 150, woken=True)
    assert (state(room)["decision"] > 1) is fires
    assert (world.rooms.lease(FIRST_LANE)[0] == "another") is not fires


def test_a_woken_beat_beats_when_nobody_does(world: World) -> None:
    room = table(world)
    beat(world, TURN + 1, woken=True)
    assert state(room)["decision"] == 2


def until_due(world: World, seconds: float) -> DiceRoom:
    """A turn that lapses after so many seconds more."""
    room = DiceRoom(world, 2, {"turn_seconds": 180}).start()
    world.clock.wait(180 - seconds)
    return room


EVERY, QUIET, STEP, LOOK = (each / 1_000 for each in (EVERY_MS, QUIET_MS, BEAT_STEP_MS, LOOK_MS))


@pytest.mark.parametrize("woken", [False, True], ids=["scheduled", "woken"])
def test_with_something_due_a_beat_stays_until_its_successor_is_in_charge(
    world: World, woken: bool
) -> None:
    until_due(world, EVERY - 0.5)
    began = world.clock.at
    taken_at: list[Instant] = []

    def a_successor_comes() -> None:
        if not taken_at and lasting(world.clock, began) >= EVERY:
            world.rooms.take_lease(FIRST_LANE, "successor", world.clock.really)
            taken_at.append(world.clock.at)

    world.clock.meanwhile = a_successor_comes
    beat(world, 150, woken=woken)
    assert 0 <= lasting(world.clock, taken_at[0]) <= LOOK + STEP
    assert world.rooms.lease(FIRST_LANE)[0] == "successor"


def test_with_nothing_due_a_scheduled_beat_leaves_before_its_successor_comes(world: World) -> None:
    """And a match that starts meanwhile wakes another, since nobody is in charge."""
    until_due(world, EVERY + QUIET)
    began = world.clock.at
    assert beat(world, 150) == 0
    assert lasting(world.clock, began) <= EVERY - QUIET + 2 * STEP
    assert world.rooms.lease(FIRST_LANE) == ("", 0)
    room = table(world)
    world.clock.wait(TURN)
    beat(world, 1, woken=True)
    assert state(room)["decision"] == 2


@pytest.mark.parametrize("seconds", [0.5, 1.5, 4, 6.5, 7.999])
def test_what_opens_while_nobody_is_in_charge_fires_in_time(world: World, seconds: float) -> None:
    """No phase is shorter than the time without anybody: here a reveal, the shortest there is."""
    rooms = TimedRooms(world.clock)
    world = World(rooms=rooms, clock=world.clock)
    room = until_due(world, 2 * EVERY)
    assert room.bid(1, 2).status == 200  # a turn opens
    began = world.clock.at
    beat(world, 150)
    left_at = lasting(world.clock, began)
    assert left_at < EVERY
    world.clock.wait(max(0.0, EVERY - seconds - left_at))
    called = room.on_turn.act(room.code, "challenge", room.decision)
    assert called.status == 200, called.text  # a reveal of 8 s opens
    world.clock.wait(EVERY - lasting(world.clock, began))
    rooms.late.clear()
    beat(world, 40)
    assert rooms.late
    assert rooms.late == [0] * len(rooms.late)


def test_a_match_that_starts_while_the_last_beat_is_leaving_is_not_left_alone() -> None:
    """The index shows it late, and the beat that it woke saw the leaving one alive."""

    class Lagging(MemoryRooms):
        lag = 0

        def due(self, lane: str, since: Instant, limit: int) -> list[tuple[Instant, str]]:
            if self.lag:
                self.lag -= 1
                return []
            return super().due(lane, since, limit)

    rooms = Lagging()
    world = World(rooms=rooms)
    table(world, 2)
    rooms_made: list[DiceRoom] = []

    def somebody_starts() -> None:
        if lasting(world.clock, BEGIN) == TURN + REVEAL and not rooms_made:
            world.service.fire(next(iter(rooms.items)))
            rooms_made.append(table(world, 2))
            assert beat(world, woken=True) == 0
            rooms.lag = 1

    world.clock.meanwhile = somebody_starts
    beat(world)
    assert state(rooms_made[0])["over"]
    assert rooms.lease(FIRST_LANE) == ("", 0)


def poisoned(number: int = 0, wake_at: Instant = BEGIN) -> Saving:
    """A room that nobody can read, due before all others."""
    return Saving(f"AAAAA{number}", "{", 1, wake_at, BEGIN // 1_000 + 86_400)


def test_a_poisoned_room_holds_up_no_other(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.rooms.items["AAAAA0"] = poisoned()
    room = table(world)
    beat(world, 150)
    assert state(room)["over"]
    assert "room failed" in caplog.text
    tries = world.rooms.calls.count("get AAAAA0")
    assert 1 <= tries <= 1 + 150_000 / LOOK_MS


@pytest.mark.parametrize("count", [1, 60, 200])
def test_rooms_that_fail_take_no_places_from_others(world: World, count: int) -> None:
    """Older ones, so that they stand in front of the index; and each is tried less and less."""
    for number in range(count):
        code = f"{number:06d}"
        world.rooms.items[code] = poisoned(0, BEGIN - 60_000)._replace(code=code)
    rooms = TimedRooms(world.clock)
    rooms.items.update(world.rooms.items)
    world = World(rooms=rooms, clock=world.clock)
    room = table(world)
    rooms.late.clear()
    beat(world, 100, woken=True)
    assert state(room)["over"]
    assert rooms.late == [0] * len(rooms.late)
    assert 1 <= rooms.calls.count("get 000000") <= 6


@pytest.mark.parametrize("call", ["due", "lease", "take_lease"])
def test_a_look_that_fails_ends_no_beat(
    world: World, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    room = table(world)
    working = getattr(world.rooms, call)
    failing = iter([True, False, True])

    def flaky(*arguments: Any) -> Any:
        if next(failing, False):
            raise ConnectionError("nobody there")
        return working(*arguments)

    setattr(world.rooms, call, flaky)
    beat(world, woken=True)
    assert state(room)["over"]
    assert "a step failed" in caplog.text
    assert world.rooms.lease(FIRST_LANE) == ("", 0)


def test_a_beat_that_died_turns_away_nobody_after_the_next_scheduled_one(world: World) -> None:
    world.rooms.take_lease(FIRST_LANE, "dead", world.clock.really)
    assert beat(world) == 0
    room = table(world)
    beat(world, TURN + 1, woken=True)
    assert state(room)["decision"] == 2


def test_a_woken_beat_waits_for_the_index(world: World) -> None:
    room = table(world)
    saved = world.rooms.items[room.code]
    world.rooms.items[room.code] = saved._replace(wake_at=None)

    def it_shows() -> None:
        if lasting(world.clock, BEGIN) >= 4:
            world.rooms.items.setdefault(room.code, saved)
            if world.rooms.items[room.code].wake_at is None:
                world.rooms.items[room.code] = saved

    world.clock.meanwhile = it_shows
    beat(world, TURN + 1, woken=True)
    assert state(room)["decision"] == 2


def test_phones_wait_until_nothing_is_due() -> None:
    """Push takes its time, and a deadline is more urgent."""
    clock, push = FakeClock(), FakePush(configured=True)
    rooms = TimedRooms(clock)
    world = World(rooms=rooms, clock=clock, push=push)
    tables = [table(world, 2) for _ in range(10)]
    for room in tables:
        for person in room.people:
            put = {"platform": "apns", "token": f"{person.name}-of-{room.code}".replace(" ", "-")}
            assert person.send("PUT", "/v1/me/push/phone", put).status in (200, 201, 204)
    send = push.send

    def slow(endpoint: str, platform: str, message: Mapping[str, str]) -> bool:
        clock.wait(0.4)
        return send(endpoint, platform, message)

    push.send = slow  # type: ignore[method-assign]
    rooms.late.clear()
    beat(world, TURN + 5, woken=True)
    assert rooms.late[: len(tables)] == [0] * len(tables)
    assert len(push.sent) >= len(tables)


def test_a_room_that_others_write_all_the_time_holds_up_no_other() -> None:
    """Whoever writes makes happen what is due, too."""

    class Contended(TimedRooms):
        contended = ""

        def put(self, saving: Saving, was: int | None, now: Instant) -> None:
            if saving.code == self.contended:
                self.calls.append(f"put {saving.code}")
                raise Conflict(self.get(saving.code, now))
            super().put(saving, was, now)

    clock = FakeClock()
    rooms = Contended(clock)
    world = World(rooms=rooms, clock=clock)
    slow, room = table(world), table(world)
    rooms.contended = slow.code
    rooms.late.clear()
    beat(world, 150, woken=True)
    assert state(room)["over"]
    assert state(slow)["decision"] == 1
    assert max(rooms.late) < 1_000


def test_a_room_that_is_gone_holds_up_no_other(world: World) -> None:
    world.rooms.items["AAAAA0"] = poisoned()._replace(expires_at=0)
    room = table(world)
    beat(world, 150)
    assert state(room)["over"]


def test_a_start_wakes_a_beat_and_nothing_else_does(world: World) -> None:
    room = DiceRoom(world, 2)
    assert world.beating.woken == []
    room.start()
    assert world.beating.woken == [FIRST_LANE]
    room.bid(1, 2)
    world.clock.wait(60)
    room.host.view(room.code)
    assert room.host.act(room.code, "start", match=3).status == 409
    assert world.beating.woken == [FIRST_LANE]


@pytest.fixture
def events() -> list[dict[str, Any]]:
    """What Lambda is asked to hand to the beat's function: a wake and a relief of lane 3."""
    sent: list[dict[str, Any]] = []

    class Lambda:
        def invoke(self, **arguments: Any) -> None:
            assert arguments["FunctionName"] == "the-beat"
            assert arguments["InvocationType"] == "Event"
            sent.append(json.loads(arguments["Payload"]))

    starting = LambdaBeat(Lambda(), "the-beat")
    starting.wake("3")
    starting.relieve("3")
    return sent


@pytest.mark.parametrize(("which", "fires"), [(0, False), (1, True)], ids=["wake", "relieve"])
def test_the_events_are_understood(events: list[dict[str, Any]], which: int, fires: bool) -> None:
    world = World(lanes=4)
    room = in_lane(world, "3")
    world.clock.wait(TURN + 1)
    world.rooms.take_lease("3", "another", world.clock.really)
    assert (world.beat(events[which]) > 0) is fires
    assert (state(room)["decision"] > 1) is fires
    assert world.rooms.lease(FIRST_LANE) == ("", 0)


def test_what_eventbridge_sends_is_the_first_lanes(world: World) -> None:
    room = table(world)
    world.clock.wait(TURN + 1)
    scheduled = {"detail-type": "Scheduled Event", "detail": {}, "source": "aws.events"}
    assert world.beat(EVENT | scheduled) > 0
    assert state(room)["over"]


# --- lanes --------------------------------------------------------------------------------------


def in_lane(world: World, lane: str) -> DiceRoom:
    """A match that has just begun, in a room of that lane."""
    for _ in range(200):
        room = DiceRoom(world, 2, {"turn_seconds": TURN})
        if world.rooms.items[room.code].lane == lane:
            return room.start()
        world.clock.wait(61)  # rooms are limited by the hour
    raise AssertionError("no such room")


def test_rooms_spread_evenly_over_lanes() -> None:
    codes = [f"{number:06d}" for number in range(10_000)]
    counts = Counter(lane_of(code, 10) for code in codes)
    assert set(counts) == {str(number) for number in range(10)}
    assert max(counts.values()) < 1_200
    assert {lane_of(code, 1) for code in codes} == {FIRST_LANE}


def test_each_lane_has_a_beat_of_its_own() -> None:
    world = World(lanes=2)
    here, there = in_lane(world, "0"), in_lane(world, "1")
    assert world.beating.woken == ["0", "1"]
    beats.beat(world.service, "1", woken=True, seconds=LONG)
    assert state(there)["over"]
    assert state(here)["decision"] == 1
    beats.beat(world.service, "0", woken=True, seconds=LONG)
    assert state(here)["over"]


@pytest.mark.parametrize("lanes", [1, 2, 9, 10, 100, 1_000])
def test_the_schedule_reaches_every_lane_once(lanes: int) -> None:
    world = World(lanes=lanes)
    reached = [FIRST_LANE]
    for lane in reached:  # it grows on the way
        world.beating.relieved.clear()
        beats.beat(world.service, lane, woken=False, seconds=1)
        assert len(world.beating.relieved) <= 8
        reached += world.beating.relieved
    assert sorted(map(int, reached)) == list(range(lanes))


def test_a_woken_beat_passes_nothing_on() -> None:
    world = World(lanes=9)
    beat(world, 1, woken=True)
    assert world.beating.relieved == []


def test_a_lane_that_cannot_be_started_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    world = World(lanes=3)
    room = in_lane(world, "0")
    world.beating.broken = True
    beat(world)
    assert world.beating.relieved == ["1", "2"]
    assert "a chore failed" in caplog.text
    assert state(room)["over"]


def test_lanes_can_be_added_while_matches_run(world: World) -> None:
    """A room stays with the beat that it has until it is written again; then its own is woken."""
    rooms = [table(world, 2) for _ in range(6)]
    grown = World(
        rooms=world.rooms, players=world.players, clock=world.clock, chance=FakeChance(), lanes=4
    )
    beats.beat(grown.service, FIRST_LANE, woken=False, seconds=TURN + 1)
    assert set(grown.beating.woken) == {lane_of(each.code, 4) for each in rooms} - {FIRST_LANE}
    for room in rooms:
        assert state(room)["decision"] > 1, "its first turn has lapsed"
        assert world.rooms.items[room.code].lane == lane_of(room.code, 4)
    assert len({world.rooms.items[room.code].lane for room in rooms}) > 1


# --- in real time -------------------------------------------------------------------------------


def test_in_real_time_a_kill_comes_at_most_a_second_and_a_half_late() -> None:
    """The one test that waits: the laptop's server, its beat in a thread, nobody polling."""
    server = Server(port=0, speed=1)
    server.start()
    try:
        ana, bo = Client(server.url), Client(server.url)
        body = {"game": "liars-dice", "visibility": "private", "name": "Ana"}
        made = ana.call("POST", "/v1/rooms", body | {"settings": {"turn_seconds": TURN}})
        code = made.body["room"]["code"]
        assert bo.act(code, {"type": "join", "name": "Bo"}).status == 200
        started = ana.act(code, {"type": "start", "match": 1})
        due_at = started.body["view"]["match"]["due_at"]

        def match() -> Any:
            stored = server.service.rooms.get(code, server.service.clock.now())
            assert stored is not None
            return json.loads(stored.doc)["match"]

        tick = threading.Event()
        while match()["state"].get("reveal") is None and time.time() < due_at / 1_000 + 5:
            tick.wait(0.02)
        late = time.time() * 1_000 - due_at
        assert 0 <= late <= 1_500
        after = match()
        assert after["opened_at"] == due_at
        assert after["state"]["reveal"]["kind"] == "timeout"
    finally:
        server.stop()
