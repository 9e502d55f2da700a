"""The terminal client against the real app: it loses nothing, whatever is lost on the way and
whenever it is killed."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.local.client import Reply
from infra.local.play import outbox
from infra.local.play.home import Home, Unusable
from infra.local.play.wire import Clock, Sample, Verdict, pace, verdict
from tests.play.wires import URL, Fault, Seat, Sent
from tests.world import Person, World

LOST: list[Fault] = ["request-lost", "answer-lost"]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is tried again is tried again without waiting; in the end all seats are given up."""
    monkeypatch.setattr(outbox, "FIRST_WAIT_SECONDS", 0.0)
    yield
    while Seat.opened:
        Seat.opened.pop().killed()


def seated(world: World, folder: Path) -> tuple[Seat, Person]:
    """A client that hosts a room, and a guest."""
    seat = Seat(world, folder)
    seat.type("name Ada", "open liars-dice")
    guest = world.person("Bruno")
    guest.join(seat.code)
    return seat, guest


def on_turn(world: World, folder: Path) -> tuple[Seat, Person]:
    """The same, and it is the client's move."""
    seat, guest = seated(world, folder)
    seat.type("start")
    match = guest.view(seat.code)["match"]
    if match["your_move"]:
        guest.act(seat.code, "bid", match["decision"], quantity=1, face=2)
    seat.poll()
    return seat, guest


# --- the key and the disk ------------------------------------------------------------------------


def test_the_player_is_the_same_after_a_kill_and_nobody_else_can_read_the_key(
    world: World, tmp_path: Path
) -> None:
    seat = Seat(world, tmp_path / "home")
    first = seat.wire.device.player_id
    seat.killed()
    assert Seat(world, tmp_path / "home").wire.device.player_id == first
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home/key.pem").stat().st_mode) == 0o600


def test_a_folder_is_one_process_s_at_a_time(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with pytest.raises(Unusable, match="home-taken"):
        Home(tmp_path)
    home.close()
    Home(tmp_path).close()


@pytest.mark.parametrize("content", ["", "nonsense", "{}", "[]", '{"unanswered": {"a": 1}}'])
def test_what_cannot_be_read_is_never_replaced(tmp_path: Path, content: str) -> None:
    home = Home(tmp_path)
    for name, read in (
        ("key.pem", home.device),
        ("https-api.example.test.json", lambda: home.state(URL)),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(Unusable, match="home-broken"):
            read()
        assert (tmp_path / name).read_text() == content
    home.close()


def test_a_request_is_on_the_disk_to_the_byte_before_it_goes_out(
    world: World, tmp_path: Path
) -> None:
    seat = Seat(world, tmp_path)
    found: list[Any] = []

    def look(sent: Sent) -> None:
        kept = seat.kept["unanswered"]
        found.append(sent)
        assert (kept["path"], kept["key"], kept["body"].encode()) == (sent.path, sent.key, sent.raw)
        assert seat.kept["created"] == sent.created

    seat.wire.watch = look
    seat.type("name Ñandú \N{FOX FACE}", "open liars-dice", "bot", "start", "leave", "yes")
    assert [json.loads(each.raw or b"")["action"]["type"] for each in found[-3:]] == [
        *("add-bot", "start", "leave")
    ]
    assert seat.kept["unanswered"] is None


# --- lost, killed, and sent again ----------------------------------------------------------------


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("line", ["open liars-dice", "join {code}"])
def test_into_a_room_once_though_killed_on_the_way(
    world: World, tmp_path: Path, line: str, fault: Fault
) -> None:
    host = world.person("Ana")
    code = host.create()
    seat = Seat(world, tmp_path)
    seat.type("rooms")  # the clock is right from here on
    seat.wire.faults = [fault]
    seat.type(line.format(code=code))
    assert seat.code == ""
    (sent,) = seat.wire.posts
    seat.killed()

    seat = Seat(world, tmp_path)
    (again,) = seat.wire.posts
    assert again[:3] == sent[:3]
    assert ("nothing was done twice" in seat.ear.heard()) == (fault == "answer-lost")
    assert seat.kept["unanswered"] is None
    assert len(world.rooms.items) == (2 if line.startswith("open") else 1)
    members = host.view(code)["room"]["members"]
    assert len(members) == (1 if line.startswith("open") else 2)
    assert f"Room {seat.code}" in seat.type("")


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("kills", [1, 3])
def test_a_bid_once_though_killed_on_the_way(
    world: World, tmp_path: Path, fault: Fault, kills: int
) -> None:
    seat, guest = on_turn(world, tmp_path)
    before = guest.view(seat.code)["match"]
    seat.wire.faults = [fault]
    seat.type("3 5")
    sent = seat.wire.posts[-1]
    for _ in range(kills - 1):
        seat.killed()
        seat = Seat(world, tmp_path, "answer-lost", "answer-lost")
        assert {each[:3] for each in seat.wire.posts} == {sent[:3]}
    seat.killed()

    seat = Seat(world, tmp_path)
    assert [each[:3] for each in seat.wire.posts] == [sent[:3]]
    heard = seat.ear.heard()
    assert "it goes out again under the same key: bid" in heard
    assert "Ada (you) 3 fives" in heard
    after = guest.view(seat.code)["match"]
    assert after["decision"] == before["decision"] + 1
    assert len(after["public"]["bids"]) == len(before["public"]["bids"]) + 1


@pytest.mark.parametrize("fault", LOST)
def test_a_seat_is_left_once_though_killed_on_the_way(
    world: World, tmp_path: Path, fault: Fault
) -> None:
    seat, guest = seated(world, tmp_path)
    code = seat.code
    seat.wire.faults = [fault]
    seat.type("leave")
    seat.killed()
    seat = Seat(world, tmp_path)
    assert f"Out of room {code}." in seat.ear.heard()
    assert seat.code == ""
    assert [each["name"] for each in guest.view(code)["room"]["members"]] == ["Bruno"]


@pytest.mark.parametrize("phase", ["turn", "reveal", "over"])
def test_everything_is_there_again_in_any_phase(world: World, tmp_path: Path, phase: str) -> None:
    seat, guest = on_turn(world, tmp_path)
    if phase != "turn":
        seat.type("9 6")
        guest.act(seat.code, "challenge", guest.view(seat.code)["match"]["decision"])
    if phase == "over":
        guest.act(seat.code, "leave")
    seat.poll()
    screen = seat.type("")
    seat.killed()
    again = Seat(world, tmp_path)
    assert screen in again.ear.heard() + again.type("")
    assert {"turn": "YOUR MOVE", "reveal": "says liar", "over": "Winner"}[phase] in screen


def test_what_nobody_means_any_more_is_not_sent(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = Seat(world, tmp_path)
    seat.type("rooms")
    seat.wire.faults = ["request-lost"]
    seat.type("open liars-dice")
    seat.killed()
    then = time.time() + 86_402
    monkeypatch.setattr(time, "time", lambda: then)
    seat = Seat(world, tmp_path)
    assert "Without an answer for a day, so it was dropped: open" in seat.ear.heard()
    assert (seat.wire.posts, seat.kept["unanswered"]) == ([], None)


# --- no answer, or not now -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        *LOST,
        (503, {"code": "try-again", "title": "t"}),
        (500, {"code": "internal", "title": "t"}),
        (504, {}),
        (429, {"code": "too-many-requests", "retry_after_ms": 0}),
    ],
)
def test_the_same_goes_out_again_by_itself(world: World, tmp_path: Path, fault: Fault) -> None:
    seat, guest = on_turn(world, tmp_path)
    seat.wire.faults = [fault, fault]
    seat.type("3 5")
    assert "bid has no answer yet" in seat.type("liar")
    seat.session.tick()
    seat.session.tick()
    sent = seat.wire.posts[-3:]
    assert len({each[:3] for each in sent}) == 1
    assert seat.kept["unanswered"] is None
    assert guest.view(seat.code)["match"]["public"]["bids"][-1]["quantity"] == 3


def test_silence_is_told_once_and_so_is_its_end(world: World, tmp_path: Path) -> None:
    seat, _ = on_turn(world, tmp_path)
    seat.wire.faults = ["request-lost", "request-lost"]
    heard = seat.type("3 5")
    seat.session.tick()
    seat.session.tick()
    heard += seat.ear.heard()
    assert heard.count("No answer from") == heard.count("There is an answer again") == 1


def test_one_can_give_up_on_what_has_no_answer(world: World, tmp_path: Path) -> None:
    seat, guest = on_turn(world, tmp_path)
    seat.wire.faults = ["request-lost"]
    heard = seat.type("3 5", "drop", "drop")
    assert "No longer sent: bid" in heard
    assert "Nothing is without an answer" in heard
    seat.type("4 6")
    assert guest.view(seat.code)["match"]["public"]["bids"][-1]["quantity"] == 4


def test_a_refusal_for_long_is_told_and_not_waited_for(world: World, tmp_path: Path) -> None:
    seat, _ = seated(world, tmp_path)
    told = {"code": "too-many-requests", "title": "Slowly", "detail": "d", "retry_after_ms": 60_000}
    seat.wire.faults = [(429, told)]
    assert seat.type("bot").splitlines() == ["- Slowly. d", "- (In 60 s.)"]
    assert seat.kept["unanswered"] is None


# --- asked first ---------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["leave", "observe"])
@pytest.mark.parametrize("again", ["{verb}", " {verb} ", "yes", "YES"])
def test_the_own_death_takes_a_yes(world: World, tmp_path: Path, verb: str, again: str) -> None:
    seat, guest = on_turn(world, tmp_path)
    before = len(seat.wire.posts)
    assert "dying on the spot" in seat.type(verb)
    assert len(seat.wire.posts) == before
    code = seat.code
    seat.type(again.format(verb=verb))
    assert guest.view(code)["match"]["outcome"] is not None


def test_anything_else_is_no_yes(world: World, tmp_path: Path) -> None:
    seat, guest = on_turn(world, tmp_path)
    heard = seat.type("observe", "", "yes")
    assert "no command here" in heard
    assert len(seat.type("observe", "no").splitlines()) == 1
    seat.type("observe", "3 5", "observe", "leave")
    assert guest.view(seat.code)["match"]["outcome"] is None


def test_what_went_into_the_chance_is_told(world: World, tmp_path: Path) -> None:
    seat, _ = seated(world, tmp_path)
    assert "Taken" in seat.type("entropy rain on the roof")
    assert "Taken" not in seat.type("entropy lluvia en el balcón")


# --- refused -------------------------------------------------------------------------------------


def test_a_stale_decision_is_dropped_and_the_room_looked_at_anew(
    world: World, tmp_path: Path
) -> None:
    seat, _ = on_turn(world, tmp_path)
    world.clock.wait(61)
    heard = seat.type("3 5")
    assert "not what is open now" in heard
    assert "ran out of time" in heard
    assert seat.kept["unanswered"] is None


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("1 1", "illegal"), ("bot", "running"), ("kick 9", "Nobody here"), ("30 6", "")],
)
def test_a_refusal_is_told_in_the_server_s_words_and_the_move_is_still_asked(
    world: World, tmp_path: Path, line: str, wanted: str
) -> None:
    seat, _ = on_turn(world, tmp_path)
    assert seat.type(line).startswith("- ")
    assert seat.kept["unanswered"] is None
    assert "YOUR MOVE" in seat.type("")


def test_a_refusal_names_the_field_for_people(world: World, tmp_path: Path) -> None:
    seat, _ = seated(world, tmp_path)
    heard = seat.type("entropy ñ", "set bullets 9")
    assert "- Text: Only printable" in heard
    assert "- Bullets: " in heard
    assert "/action" not in heard


def test_a_wrong_code_does_not_lead_out_of_the_room(world: World, tmp_path: Path) -> None:
    seat, _ = seated(world, tmp_path)
    code = seat.code
    assert "stays in room" in seat.type("join 222222")
    assert seat.type("yes").startswith("- There is nothing here")
    seat.session.tick()
    assert seat.code == code


def test_a_room_that_is_gone_is_told(world: World, tmp_path: Path) -> None:
    host = world.person("Ana")
    code = host.create()
    seat = Seat(world, tmp_path)
    seat.type("name Ada", f"join {code}")
    host.act(code, "kick", player_id=seat.wire.device.player_id)
    heard = seat.poll()
    assert f"Room {code} is closed, or this player is no longer in it." in heard
    assert seat.code == ""
    assert seat.session.rest() is None, "there is nothing to poll"


def test_a_poll_that_is_refused_is_told(world: World, tmp_path: Path) -> None:
    seat, _ = seated(world, tmp_path)
    seat.wire.device.sign = lambda *_, **__: {}  # type: ignore[method-assign]  # whatever breaks it
    assert "- " in seat.poll()
    rest = seat.session.rest()
    assert rest is not None
    assert rest > 20, "nobody is pestered"


# --- the clock -----------------------------------------------------------------------------------


def test_a_wrong_clock_is_set_right_by_the_answer_and_stays_so(
    world: World, tmp_path: Path
) -> None:
    world.clock.wait(5_000_000)
    seat = Seat(world, tmp_path)
    heard = seat.type("open liars-dice")
    first, second = seat.wire.posts
    assert first[:3] == second[:3]
    assert second.created == world.clock.real() // 1_000
    assert "Room" in heard
    seat.killed()
    seat = Seat(world, tmp_path)
    seat.type("bot")
    assert len(seat.wire.posts) == 1


def test_another_device_with_the_key_may_be_ahead(world: World, tmp_path: Path) -> None:
    seat, _ = seated(world, tmp_path)
    ahead = world.clock.real() // 1_000 + 20
    body = {"action": {"type": "entropy", "value": "x"}}
    path = f"/v1/rooms/{seat.code}/actions"
    assert world.signed(seat.wire.device, "POST", path, body, created=ahead).status == 200
    heard = seat.type("bot")
    for _ in range(outbox.SIGNED_AGAIN):
        seat.session.tick()
    assert len({each.key for each in seat.wire.posts[-4:]}) == 1
    assert seat.ear.heard() + heard
    assert seat.kept["unanswered"] is None, "not for ever"


@pytest.mark.parametrize(
    ("status", "body", "wanted"),
    [
        (201, {}, "done"),
        (401, {"code": "signature-expired"}, "sign-again"),
        (401, {"code": "signature-invalid"}, "refused"),
        (409, {"code": "stale-request"}, "sign-again"),
        (409, {"code": "stale-decision"}, "refused"),
        (413, None, "refused"),
        (429, None, "again"),
        (429, {"retry_after_ms": 10_000}, "again"),
        (429, {"retry_after_ms": 10_001}, "refused"),
        (502, "<html>", "again"),
    ],
)
def test_what_an_answer_means(status: int, body: Any, wanted: Verdict) -> None:
    assert verdict(Reply(status, body, {})) == wanted


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (Sample(0.0, 0, 0.001), Sample(0.25, 250, 0.252), 1),
        (Sample(0.0, 0, 0.3), Sample(0.55, 900, 1.4), 1),
        (Sample(0.0, 0, 0.002), Sample(0.25, 5_020, 0.252), 20),
        (Sample(0.0, 0, 0.001), Sample(0.25, 0, 0.252), 1),
    ],
)
def test_how_fast_the_server_s_clock_runs(first: Sample, second: Sample, wanted: int) -> None:
    assert pace(first, second) == wanted


def test_a_countdown_goes_by_the_server_s_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    at = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: at)
    clock = Clock()
    clock.heard({"Server-Now": "1000000"})
    at = 102.5
    assert clock.now() == 1_002_500
    clock.speed = 4
    assert (clock.now(), clock.seconds(2_000)) == (1_010_000, 0.5)
    assert clock.heard({}) is None


def test_the_end_of_the_own_time_is_announced(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat, _ = on_turn(world, tmp_path)
    world.clock.wait(50.5)
    then = time.monotonic() + 50.5
    monkeypatch.setattr(time, "monotonic", lambda: then)
    seat.session.tick()
    assert "0:10 left | YOUR MOVE | turn" in seat.ear.heard()
    seat.session.tick()
    assert "left" not in seat.ear.heard(), "once"


# --- polls ---------------------------------------------------------------------------------------


def test_a_poll_asks_for_changes_only_and_no_sooner_than_told(world: World, tmp_path: Path) -> None:
    seat, guest = seated(world, tmp_path)
    seat.poll()
    assert seat.poll() == ""
    etag, status = seat.wire.polls[-1]
    assert etag
    assert status == 304
    rest = seat.session.rest()
    assert rest is not None
    assert 3.5 < rest <= 4
    before = len(seat.wire.polls)
    seat.session.tick()
    assert len(seat.wire.polls) == before, "not yet"
    guest.act(seat.code, "leave")
    assert "Bruno" not in seat.poll()
    assert seat.wire.polls[-1][1] == 200


# --- what is looked up ---------------------------------------------------------------------------


def test_rooms_rules_help_and_the_view_as_a_file(world: World, tmp_path: Path) -> None:
    world.person("Ana").send(
        "POST", "/v1/rooms", {"game": "almost-even", "visibility": "public", "name": "Ana"}
    )
    seat, _ = on_turn(world, tmp_path)
    heard = seat.type("rooms")
    assert f"  {seat.code}  Liar's dice, YOUR MOVE" in heard
    assert "Almost even, 1 of 12, host Ana" in heard
    assert seat.type("rules").startswith("1. ")
    assert "Points" in seat.type("rules almost")
    assert "  liar" in seat.type("help")
    said = seat.type("save")
    (path,) = tmp_path.glob(f"{seat.code}-1-*.json")
    assert str(path) in said
    assert "make verify" in said
    saved: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    assert saved["room"]["code"] == seat.code


def test_lines_that_are_read_are_all_done_before_the_end(world: World, tmp_path: Path) -> None:
    seat = Seat(world, tmp_path, began=False)
    heard = seat.run("name Ada", "open liars-dice", "bot", "nonsense")
    assert "  2  Pistacho" in heard
    assert "no command here" in heard
    seat.killed()
    seat = Seat(world, tmp_path, "request-lost", began=False)
    heard = seat.run("bot")
    assert "Without an answer so far: add-bot. The next start sends it again." in heard
