"""What a refusal looks like: a problem document in the caller's language that names the place, and
for a member the fresh view (RFC 9457, API.md)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Formatter
from typing import Any, Final

import pytest

from chalicelib import content
from chalicelib.games import GAMES
from chalicelib.http import STATUS
from chalicelib.kernel.model import Instant
from chalicelib.kernel.room import MAX_OBSERVERS
from chalicelib.ports import Stored
from tests.fakes import MemoryRooms
from tests.scene import Scene, check_problem
from tests.world import DiceRoom, World

SOURCES: Final = Path(__file__).parents[1] / "chalicelib"


def test_every_code_has_words_in_every_language_and_no_others_have() -> None:
    for locale in content.LOCALES:
        words = content.of_service(locale)["words"]["problems"]
        assert words.keys() == STATUS.keys()
        assert all(each["title"] and each["detail"] for each in words.values())


def shape(words: Any) -> Any:
    """Keys and gaps of a catalogue, whatever the language."""
    if isinstance(words, dict):
        return {key: shape(value) for key, value in words.items()}
    return sorted(gap for _, gap, _, _ in Formatter().parse(words) if gap)


def test_both_languages_say_the_same_things() -> None:
    spanish, english = (content.of_service(locale)["words"] for locale in ("es", "en"))
    assert shape(spanish) == shape(english)


def test_spanish_addresses_nobody() -> None:
    text = json.dumps(content.of_service("es")["words"], ensure_ascii=False).lower()
    assert not re.search(r"\b(tú|vos|usted|ustedes|vosotros|tu|tus|te|puedes|podés|tienes)\b", text)


def sentences(locale: str) -> list[tuple[str, str]]:
    """Every reason and what is said of it."""
    service = content.of_service(locale)["words"]
    groups = [service[group] for group in ("reasons", "signatures", "fields")]
    groups += [content.of_game(game, locale)["words"]["reasons"] for game in GAMES]
    return [each for group in groups for each in group.items()]


@pytest.mark.parametrize("locale", content.LOCALES)
def test_a_reason_means_one_thing_and_is_said_in_whole_sentences(locale: str) -> None:
    found = sentences(locale)
    assert len(dict(found)) == len(found)
    assert [text for _, text in found if not text.endswith(".")] == []


def test_every_reason_that_is_given_has_words_and_all_that_have_are_given() -> None:
    source = "\n".join(path.read_text("utf-8") for path in SOURCES.rglob("*.py"))
    reasons = dict(sentences("en")).keys()
    given = set(re.findall(r'(?:_refuse|Unfit|IllegalAction)\(\s*"([^"]+)"', source))
    given |= set(re.findall(r'(?:Fault|BadJson)\([^()]*?, "([^"]+)"', source))
    assert len(given) > 50
    assert given <= reasons
    assert [reason for reason in reasons if f'"{reason}"' not in source] == []


@pytest.mark.parametrize(
    ("header", "locale"),
    [
        pytest.param("en", "en", id="English is asked for"),
        pytest.param("es-MX", "es", id="Spanish of Mexico is Spanish"),
        pytest.param("fr, en;q=0.5, es;q=0.7", "es", id="the better of two, after one unknown"),
        pytest.param("es;q=0, en;q=0.1", "en", id="nought means no"),
        pytest.param("EN-gb", "en", id="capitals do not matter"),
        pytest.param("fr", "es", id="none of ours: the source language"),
        pytest.param(None, "es", id="nothing said: the source language"),
        pytest.param("en;q=high", "es", id="a weight that is no number is passed over"),
    ],
)
def test_a_problem_speaks_the_language_asked_for(world: World, header: str, locale: str) -> None:
    sol = world.person("Sol")
    check_problem(sol.read("ZZZZZZ", locale=header), locale)
    check_problem(sol.send("PUT", "/v1/rooms", locale=header), locale)
    check_problem(sol.send("POST", "/v1/rooms", raw=b"{", locale=header), locale)


def test_a_rule_says_which_in_the_language_asked_for() -> None:
    scene = Scene()
    for locale in content.LOCALES:
        reply = scene.turn.act(
            scene.code, "bid", scene.decision, quantity=16, face=2, how={"locale": locale}
        )
        sentence = content.of_game("liars-dice", locale)["words"]["reasons"]["LD-2.quantity"]
        assert reply.body["detail"] == sentence.format(most=15)


def test_a_member_who_is_refused_gets_the_fresh_view_and_nobody_else_does() -> None:
    scene = Scene()
    refused = scene.waiting.act(scene.code, "bid", scene.decision, quantity=4, face=4)
    fresh = scene.waiting.read(scene.code)
    assert refused.view == fresh.body
    assert refused.headers["Poll-After-Ms"] == fresh.headers["Poll-After-Ms"]
    outsiders = [
        scene.kit.act(scene.code, "join"),
        scene.sol.act(scene.code, "leave"),
        scene.world.send("POST", scene.path),
    ]
    assert all("view" not in outsider.body for outsider in outsiders)


def test_what_comes_too_early_is_told_how_long_to_wait(world: World) -> None:
    room = DiceRoom(world, 3).start()
    world.clock.wait(60 + 0.7)
    early = room.host.act(room.code, "continue", room.decision)
    assert f"{early.status} {early.code}" == "409 too-early"
    assert early.body["retry_after_ms"] == 2_300
    assert early.headers["Retry-After"] == "3"  # whole seconds, never too few
    check_problem(early, "en")
    world.clock.wait(2.3)
    assert room.host.act(room.code, "continue", room.decision).status == 200


def test_a_full_room_says_so(world: World) -> None:
    room = DiceRoom(world, 6 + MAX_OBSERVERS)
    late = world.person("Late").act(room.code, "join", name="Late")
    assert f"{late.status} {late.code}" == "409 room-full"
    assert "view" not in late.body
    check_problem(late, "en")


def test_an_unknown_room_and_anothers_room_look_alike_byte_for_byte() -> None:
    scene = Scene()
    for who in (scene.sol, scene.kit):
        assert who.read(scene.code) == who.read("ZZZZZZ") == who.read("!")
        assert who.act(scene.code, "leave") == who.act("ZZZZZZ", "leave")
        spoilt = [
            who.send("POST", f"/v1/rooms/{code}/actions", 1) for code in (scene.code, "ZZZZZZ")
        ]
        assert spoilt[0] == spoilt[1]


class BrokenRooms(MemoryRooms):
    """A store that fails in a way that nobody thought of."""

    def get(self, code: str, now: Instant) -> Stored | None:
        raise RuntimeError("the password is hunter2")


def test_what_nobody_thought_of_is_logged_and_told_as_a_problem(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reply = World(rooms=BrokenRooms()).person("Sol").read("ABCDEF")
    assert f"{reply.status} {reply.code}" == "500 internal"
    assert "hunter2" not in str(reply)
    check_problem(reply, "en")
    assert "hunter2" in caplog.text


def test_a_late_signature_is_told_the_time_by_the_real_clock() -> None:
    scene = Scene()
    scene.world.clock.at += 5_000_000  # a match at speed
    created = scene.world.clock.real() // 1_000 - 3_600
    reply = scene.turn.read(scene.code, created=created)
    assert reply.code == "signature-expired"
    assert reply.body["server_now"] == scene.world.clock.real()


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        pytest.param(b'{"a":{"b":1,"b":2}}', "/a/b", id="a name twice"),
        pytest.param(b'{"a/b":[1,"\\ud800"]}', "/a~1b/1", id="half a surrogate pair"),
        pytest.param(b'{"a":[[1e400]]}', "/a/0/0", id="a number out of range"),
        pytest.param(b'{"a":[[[[[[[[]]]]]]]]}', "/a/0/0/0/0/0/0/0", id="too deep"),
        pytest.param(b'{"action":{"type":"bid"}}', "/decision", id="a decision missing"),
        pytest.param(
            b'{"decision":1,"action":{"type":"leave","a/b~":1}}',
            "/action/a~1b~0",
            id="a field too many, its name escaped",
        ),
    ],
)
def test_the_place_is_named_by_a_json_pointer(body: bytes, pointer: str) -> None:
    reply = Scene().post(raw=body)
    assert [error["pointer"] for error in reply.body["errors"]] == [pointer], reply.text


def test_a_byte_order_mark_is_called_by_its_name() -> None:
    reply = Scene().post(raw=b'\xef\xbb\xbf{"action":{"type":"leave"}}')
    assert "byte order mark" in reply.body["errors"][0]["detail"]


def test_without_a_language_asked_for_a_members_problem_speaks_as_its_view_does(
    world: World,
) -> None:
    """By the profile's locale when the member came in."""
    room = DiceRoom(world, 1)
    guests = {locale: world.person(f"Iris {locale}") for locale in content.LOCALES}
    for locale, guest in guests.items():
        guest.act(room.code, "join", name="Iris", how={"locale": locale})
    room.start()
    for locale, guest in guests.items():
        reply = guest.act(room.code, "bid", 99, quantity=1, face=2, how={"locale": None})
        words = content.of_service(locale)["words"]["problems"][reply.body["code"]]
        assert reply.status == 409
        assert reply.body["title"] == words["title"]
