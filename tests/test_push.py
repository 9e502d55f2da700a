"""Push: who is woken, when, in which words, and that nothing secret travels that way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import boto3
import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sns.models import sns_backends

from chalicelib import content
from chalicelib.adapters.push import COLLAPSE, GROUPS, SnsPush, payload
from chalicelib.games import GAMES
from chalicelib.kernel.view import PUSHED_MS
from infra.local import embedded
from tests.fakes import FakePush
from tests.lasting import lasting, wait
from tests.world import DiceRoom, Person, Reply, World, room_doc

KINDS: Final = ("match-started", "your-move", "phase-opened", "match-over")
TOKEN: Final = "a-token-of-a-phone"


def put(person: Person, device: str = "phone", platform: str = "apns", **how: Any) -> Reply:
    """The device is registered with a token of its own."""
    body = {"platform": platform, "token": f"{TOKEN}-{person.name.replace(' ', '-')}-{device}"}
    return person.send("PUT", f"/v1/me/push/{device}", body, **how)


@pytest.fixture
def push() -> FakePush:
    return FakePush(configured=True)


@pytest.fixture
def world(push: FakePush) -> World:
    return World(push=push)


class Phones:
    """Everybody in a room has a phone; `heard` empties what they have been sent."""

    def __init__(self, world: World, push: FakePush, room: DiceRoom) -> None:
        self.world, self.push, self.room = world, push, room
        for person in room.people:
            assert put(person).status == 204
        self.heard()

    def heard(self) -> dict[str, list[str]]:
        """Name -> the kinds of what came, since asked last."""
        found: dict[str, list[str]] = {}
        for person in self.room.people:
            endpoint = f"apns/{TOKEN}-{person.name.replace(' ', '-')}-phone"
            kinds = [message["kind"] for to, message in self.push.sent if to == endpoint]
            if kinds:
                found[person.name] = kinds
        self.push.sent.clear()
        return found


@pytest.fixture
def phones(world: World, push: FakePush) -> Phones:
    """A lobby of three with phones."""
    return Phones(world, push, DiceRoom(world, 3))


def all_but(phones: Phones, person: Person, kind: str) -> dict[str, list[str]]:
    return {each.name: [kind] for each in phones.room.people if each.name != person.name}


# --- registration ---------------------------------------------------------------------------------


def test_a_phone_is_registered_replaced_and_dropped(world: World, push: FakePush) -> None:
    ana = world.person("Ana")
    assert put(ana).status == 204
    (device,) = world.players.devices(ana.id)
    assert (device.device, device.platform) == ("phone", "apns")
    body = {"platform": "fcm", "token": "another-token"}
    assert ana.send("PUT", "/v1/me/push/phone", body).status == 204
    assert push.dead == {device.endpoint}
    assert ana.send("DELETE", "/v1/me/push/phone").status == 204
    assert ana.send("DELETE", "/v1/me/push/phone").status == 204
    assert world.players.devices(ana.id) == []
    assert push.dead == {device.endpoint, "fcm/another-token"}


def test_the_same_token_again_stays_alive(world: World, push: FakePush) -> None:
    ana = world.person("Ana")
    assert put(ana).status == put(ana).status == 204
    assert push.dead == set()


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"platform": "pager", "token": TOKEN}, "/platform"),
        ({"platform": "apns"}, "/token"),
        ({"platform": "apns", "token": ""}, "/token"),
        ({"platform": "apns", "token": "with a space"}, "/token"),
        ({"platform": "apns", "token": "x" * 4_097}, "/token"),
        ({"platform": "apns", "token": TOKEN, "name": "x"}, "/name"),
    ],
)
def test_a_registration_that_is_not_right_is_refused(
    world: World, body: dict[str, str], pointer: str
) -> None:
    reply = world.person("Ana").send("PUT", "/v1/me/push/phone", body)
    assert reply.code == "bad-request"
    assert [error["pointer"] for error in reply.body["errors"]] == [pointer]
    assert TOKEN not in reply.text


def test_a_device_is_called_by_a_plain_name(world: World) -> None:
    ana = world.person("Ana")
    for name in ("a" * 65, "a%20b", "a$b"):
        assert put(ana, name).code == "not-found"
    assert put(ana, "A-z_0.9").status == 204


def test_where_nothing_is_configured_registering_says_so_and_the_rest_works() -> None:
    world = World()
    room = DiceRoom(world, 2)
    reply = put(room.host)
    assert reply.code == "bad-request"
    assert reply.body["errors"][0]["pointer"] == "/platform"
    room.start().bid(1, 3)
    assert "devices" not in world.players.calls[-1:]


def test_that_nothing_is_configured_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="sobremesa"):
        world = World(push=SnsPush(None, {}))
        DiceRoom(world, 2).start().bid(1, 3)
    assert sum("without push" in record.message for record in caplog.records) == 1


def test_a_registration_that_arrives_late_does_not_undo_a_later_one(world: World) -> None:
    ana = world.person("Ana")
    now = world.clock.real() // 1_000
    assert put(ana, created=now).status == 204
    assert ana.send("DELETE", "/v1/me/push/phone", created=now + 2).status == 204
    assert put(ana, created=now + 1).code == "stale-request"
    assert world.players.devices(ana.id) == []


def test_ten_devices_share_a_key_and_no_more(world: World) -> None:
    ana = world.person("Ana")
    for number in range(10):
        assert put(ana, f"phone-{number}").status == 204
    assert put(ana, "one-more").code == "illegal-action"
    assert put(ana, "phone-3").status == 204
    assert len(world.players.devices(ana.id)) == 10


ENDS: Final[dict[str, Callable[[Person], Reply]]] = {
    "the old key is forgotten": lambda old: old.send("DELETE", "/v1/me"),
    "the old key drops it": lambda old: old.send("DELETE", "/v1/me/push/phone"),
    "the old key replaces it": lambda old: old.send(
        "PUT", "/v1/me/push/phone", {"platform": "fcm", "token": "another-token"}
    ),
}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("lasts", [False, True], ids=["in memory", "in DynamoDB"])
def test_a_phone_with_two_keys_is_reached_as_long_as_one_has_it(
    moto: embedded.Locked, tables: dict[str, str], push: FakePush, how: str, lasts: bool
) -> None:
    """A token has but one endpoint, whoever registers it."""
    world = lasting(moto, tables, push=push) if lasts else World(push=push)
    old, new = world.person("Old"), world.person("New")
    body = {"platform": "fcm", "token": TOKEN}
    for person in (old, new):
        assert person.send("PUT", "/v1/me/push/phone", body).status == 204
    assert ENDS[how](old).status == 204
    assert push.dead == set()
    assert new.send("DELETE", "/v1/me").status == 204
    assert push.dead == {f"fcm/{TOKEN}"}


def test_a_phone_under_two_names_is_reached_as_long_as_one_is_left(
    world: World, push: FakePush
) -> None:
    ana = world.person("Ana")
    for name in ("phone", "telephone"):
        body = {"platform": "fcm", "token": TOKEN}
        assert ana.send("PUT", f"/v1/me/push/{name}", body).status == 204
    assert ana.send("DELETE", "/v1/me/push/phone").status == 204
    assert push.dead == set()
    assert ana.send("DELETE", "/v1/me/push/telephone").status == 204
    assert push.dead == {f"fcm/{TOKEN}"}


def test_an_inbox_that_finds_something_due_wakes_the_others(phones: Phones) -> None:
    phones.room.start()
    phones.heard()
    phones.world.clock.wait(61)
    assert phones.room.host.send("GET", "/v1/me/rooms").status == 200
    assert phones.heard().keys() >= {guest.name for guest in phones.room.guests}


# --- who is woken, and when -----------------------------------------------------------------------


def test_a_match_that_starts_wakes_all_but_whoever_started_it(phones: Phones) -> None:
    phones.room.start()
    assert phones.heard() == all_but(phones, phones.room.host, "match-started")


def test_a_rematch_does_too(phones: Phones) -> None:
    phones.room.start()
    for guest in phones.room.guests:
        guest.act(phones.room.code, "leave")
        guest.join(phones.room.code)
    phones.heard()
    phones.room.start()
    assert phones.heard() == all_but(phones, phones.room.host, "match-started")


def test_whose_turn_it_is_is_woken_and_nobody_else(phones: Phones) -> None:
    phones.room.start()
    phones.heard()
    phones.room.bid(1, 3)
    assert phones.heard() == {phones.room.on_turn.name: ["your-move"]}


def test_a_reveal_wakes_all_but_whoever_called_it(phones: Phones) -> None:
    phones.room.start()
    phones.room.bid(1, 3)
    phones.heard()
    caller = phones.room.on_turn
    assert caller.act(phones.room.code, "challenge", phones.room.decision).status == 200
    assert phones.heard() == all_but(phones, caller, "phase-opened")


def test_what_time_alone_brings_wakes_all(phones: Phones) -> None:
    phones.room.start()
    phones.heard()
    phones.world.clock.wait(61)
    phones.world.service.notify(phones.world.service.fire(phones.room.code))
    assert phones.heard() == {each.name: ["phase-opened"] for each in phones.room.people}


def test_who_looks_when_time_brings_it_is_not_woken(phones: Phones) -> None:
    phones.room.start()
    phones.heard()
    phones.world.clock.wait(61)
    phones.room.host.view(phones.room.code)
    assert phones.heard() == all_but(phones, phones.room.host, "phase-opened")


def test_a_match_that_is_over_says_so_to_all_who_are_still_there(phones: Phones) -> None:
    phones.room.start()
    one, two = phones.room.guests
    one.act(phones.room.code, "leave")
    phones.heard()
    two.act(phones.room.code, "leave")
    assert phones.heard() == {phones.room.host.name: ["match-over"]}


def test_what_changes_nothing_for_others_wakes_nobody(phones: Phones) -> None:
    room = phones.room
    room.host.act(room.code, "configure", settings={"bullets": 2})
    room.guests[0].act(room.code, "entropy", value="salt")
    room.start()
    phones.heard()
    room.waiting.act(room.code, "bid", room.decision, quantity=1, face=3)
    room.guests[0].act(room.code, "entropy", value="pepper")
    assert phones.heard() == {}


def test_the_same_action_again_wakes_nobody(phones: Phones) -> None:
    room = phones.room.start()
    turn, decision = room.on_turn, room.decision
    for _ in range(2):
        turn.act(room.code, "bid", decision, quantity=1, face=3, how={"key": "once"})
        heard = phones.heard()
    assert heard == {}


def test_who_left_is_not_woken(phones: Phones) -> None:
    room = phones.room.start()
    gone = next(guest for guest in room.guests if guest is not room.on_turn)
    gone.act(room.code, "leave")
    phones.heard()
    room.bid(1, 3)
    phones.world.clock.wait(61)
    phones.world.service.notify(phones.world.service.fire(room.code))
    assert gone.name not in phones.heard()


def test_all_phones_of_a_key_are_woken(phones: Phones, push: FakePush) -> None:
    host = phones.room.host
    put(host, "tablet", "fcm")
    phones.heard()
    phones.room.start()
    phones.world.clock.wait(61)
    phones.world.service.notify(phones.world.service.fire(phones.room.code))
    to = [endpoint for endpoint, message in push.sent if message["kind"] == "phase-opened"]
    assert sum("-Ana-" in endpoint for endpoint in to) == 2


def test_a_phone_that_comes_during_a_match_is_woken_and_polls_seldom(
    world: World, push: FakePush
) -> None:
    room = DiceRoom(world, 2).start()
    before = int(room.waiting.read(room.code).headers["Poll-After-Ms"])
    waiting = room.waiting
    put(waiting)
    after = int(waiting.read(room.code).headers["Poll-After-Ms"])
    assert after > before
    room.bid(1, 3)
    assert [message["kind"] for _, message in push.sent] == ["your-move"]
    waiting.send("DELETE", "/v1/me/push/phone")
    assert int(room.waiting.read(room.code).headers["Poll-After-Ms"]) == before


def test_registering_is_no_request_to_the_room(world: World) -> None:
    """The host's claim stays open: the device may do this by itself."""
    room = DiceRoom(world, 2)
    room.guests[0].act(room.code, "claim-host")
    put(room.host)
    assert room.guests[0].view(room.code)["room"]["claim"] is not None


# --- after the commit, and best effort ------------------------------------------------------------


def test_a_write_that_is_refused_wakes_nobody_twice(phones: Phones) -> None:
    room = phones.room.start()
    phones.heard()
    room.world.rooms.conflicts = 3
    room.bid(1, 3)
    assert list(phones.heard().values()) == [["your-move"]]


def test_it_is_sent_after_the_commit(phones: Phones, push: FakePush) -> None:
    room = phones.room.start()
    phones.heard()
    decisions: list[int] = []
    send = push.send

    def spying(endpoint: str, platform: str, message: Mapping[str, str]) -> bool:
        stored = json.loads(room.world.rooms.items[room.code].doc)
        decisions.append(stored["match"]["state"]["decision"])
        return send(endpoint, platform, message)

    push.send = spying  # type: ignore[method-assign]
    room.bid(1, 3)
    assert decisions == [room.decision]


def broken(*_: Any) -> Any:
    raise ConnectionError("nobody there")


@pytest.mark.parametrize("what", ["send", "devices", "drop_device"])
def test_a_failure_does_not_fail_the_action(
    phones: Phones, push: FakePush, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    room = phones.room.start()
    phones.heard()
    if what == "send":
        setattr(push, what, broken)
    else:
        push.dead = {f"apns/{TOKEN}-{each.name.replace(' ', '-')}-phone" for each in room.people}
        setattr(room.world.players, what, broken)
    decision = room.decision
    room.bid(1, 3)
    assert room.decision == decision + 1
    assert any(record.message == "push failed" for record in caplog.records)
    assert TOKEN not in caplog.text


def test_a_phone_that_fails_holds_up_none_of_the_others(phones: Phones, push: FakePush) -> None:
    room = phones.room.start()
    phones.heard()
    host = phones.room.host
    put(host, "tablet", "fcm")
    send = push.send

    def choosy(endpoint: str, platform: str, message: Mapping[str, str]) -> bool:
        if platform == "apns":
            broken()
        return send(endpoint, platform, message)

    push.send = choosy  # type: ignore[method-assign]
    phones.world.clock.wait(61)
    phones.world.service.notify(phones.world.service.fire(room.code))
    assert [endpoint for endpoint, _ in push.sent] == [f"fcm/{TOKEN}-Ana-tablet"]


def test_a_phone_that_is_dead_is_dropped(phones: Phones, push: FakePush) -> None:
    host = phones.room.host
    put(host, "tablet", "fcm")
    push.dead.add(f"apns/{TOKEN}-Ana-phone")
    phones.room.start()
    phones.world.clock.wait(61)
    phones.world.service.notify(phones.world.service.fire(phones.room.code))
    assert [each.device for each in phones.world.players.devices(host.id)] == ["tablet"]
    stored = room_doc(phones.world.rooms, phones.room.code)
    assert [each["pushed"] for each in stored["members"] if each["id"] == host.id] == [True]


def test_whose_last_phone_is_dead_is_told_to_poll_often_again(
    phones: Phones, push: FakePush
) -> None:
    room = phones.room.start()
    phones.world.clock.wait(1)
    guest = room.waiting
    assert guest.view(room.code)["poll_after_ms"] == PUSHED_MS
    push.dead.add(f"apns/{TOKEN}-{guest.name.replace(' ', '-')}-phone")
    room.bid(1, 3)
    assert phones.world.players.devices(guest.id) == []
    assert guest.view(room.code)["poll_after_ms"] < PUSHED_MS
    others = [each for each in room.people if each is not guest]
    assert {each.view(room.code)["poll_after_ms"] for each in others} == {PUSHED_MS}


# --- words, and no secret -------------------------------------------------------------------------


def test_the_words_are_the_members_own(world: World, push: FakePush) -> None:
    """By what each spoke when coming in."""
    host = world.person("Ana")
    code = host.create()
    heard = {}
    for name, locale in (("Inés", "es"), ("Iris", "en")):
        guest = world.person(name)
        guest.act(code, "join", name=name, how={"locale": locale})
        guest.send("PUT", "/v1/me/push/phone", {"platform": "apns", "token": f"token-of-{locale}"})
    host.act(code, "start", match=1)
    heard = {endpoint[-2:]: message for endpoint, message in push.sent}
    for locale in content.LOCALES:
        words = content.push_text("match-started", "liars-dice", locale)
        assert {part: heard[locale][part] for part in ("title", "body")} == words
    assert heard["es"]["title"] != heard["en"]["title"]


@pytest.mark.parametrize("locale", content.LOCALES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", GAMES)
def test_there_are_words_for_every_kind(locale: str, kind: str, game: str) -> None:
    words = content.push_text(kind, game, locale)
    assert words.keys() == {"title", "body"}
    assert all(words.values())
    assert "{" not in words["title"] + words["body"]
    assert content.of_game(game, locale)["words"]["name"] in words["title"]


def played(world: World, game: str, people: list[Person]) -> str:
    """A whole match of it, in which everybody answers what can be answered."""
    host = people[0]
    body = {"game": game, "visibility": "private", "name": host.name}
    code = str(host.send("POST", "/v1/rooms", body).body["room"]["code"])
    for person in people[1:]:
        person.join(code)
    assert host.act(code, "start", match=1).status == 200
    while host.view(code)["room"]["status"] == "playing":
        for person in people:
            match = person.view(code)["match"]
            if match["your_move"]:
                action = ANSWERS[game, match["phase"]](match)
                if action is not None:
                    reply = person.act(code, action.pop("type"), match["decision"], **action)
                    assert reply.status == 200, reply.text
        wake_at = world.rooms.items[code].wake_at
        if wake_at is not None:
            world.clock.at = max(world.clock.at, wake_at)
            world.service.notify(world.service.fire(code))
    return code


Answer = Callable[[Any], dict[str, Any] | None]
ANSWERS: Final[dict[tuple[str, str], Answer]] = {
    ("liars-dice", "turn"): lambda match: (
        {"type": "challenge"}
        if match["public"]["bids"]
        else {"type": "bid", "quantity": 9, "face": 6}
    ),
    ("almost-even", "author"): lambda match: {
        "type": "publish",
        "card": match["private"]["cards"][0]["card"],
        "twist": 0,
    },
    ("almost-even", "vote"): lambda match: {"type": "vote", "side": "a"},
    ("crossed-coordinates", "study"): lambda match: {"type": "ready"},
    ("crossed-coordinates", "encode"): lambda match: {
        "type": "signal",
        "traits": [each["trait"] for each in match["private"]["traits"][:2]],
    },
    ("crossed-coordinates", "ballot"): lambda match: {
        "type": "ballot",
        "place": match["public"]["candidates"][0]["place"],
        "signal": match["public"]["signals"][0]["signal"],
    },
}


@pytest.mark.parametrize("game", GAMES)
def test_a_payload_says_where_to_look_and_nothing_else(
    world: World, push: FakePush, game: str
) -> None:
    """No card, die, fragment, side or name: whatever happens in a match, the words are the same
    few sentences, and what comes with them is the room, the question and the kind."""
    people = [world.person(f"Canary {number}") for number in range(4)]
    for person in people:
        put(person)
    code = played(world, game, people)
    sentences = [
        tuple(content.push_text(kind, game, locale).values())
        for kind in KINDS
        for locale in content.LOCALES
    ]
    assert {message["kind"] for _, message in push.sent} == set(KINDS)
    for _, message in push.sent:
        assert message.keys() == {"title", "body", "code", "decision", "kind"}
        assert (message["title"], message["body"]) in sentences
        assert message["code"] == code
        assert message["decision"].isdigit()
        sent = json.dumps([payload(platform, message) for platform in GROUPS])
        assert "Canary" not in sent
        for person in people:
            assert person.id not in sent


def test_what_is_sent_does_not_depend_on_what_was_chosen(push: FakePush) -> None:
    """Two matches alike but for the side that somebody votes for."""
    sent = []
    for side in ("a", "b"):
        push = FakePush(configured=True)
        world = World(push=push)
        people = [world.person(f"Canary {number}") for number in range(3)]
        for person in people:
            put(person)
        vote: Answer = lambda match, side=side: {"type": "vote", "side": side}  # type: ignore[misc]  # noqa: E731
        before, ANSWERS["almost-even", "vote"] = ANSWERS["almost-even", "vote"], vote
        try:
            played(world, "almost-even", people)
        finally:
            ANSWERS["almost-even", "vote"] = before
        sent.append(push.sent)
    assert sent[0] == sent[1]


# --- Amazon SNS -----------------------------------------------------------------------------------


class Spy:
    """A client that notes what is published."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.published: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def publish(self, **message: Any) -> Any:
        self.published.append(message)
        return self._client.publish(**message)


PLATFORMS: Final = {"apns": "APNS", "apns-sandbox": "APNS_SANDBOX", "fcm": "GCM"}
MESSAGE: Final = {
    "title": "Dados mentirosos: toca jugar",
    "body": "¡Ñ!",
    "code": "ABCDEF",
    "decision": "7",
    "kind": "your-move",
}


class Sns:
    """Push by SNS with all three platforms, as moto has it."""

    def __init__(self) -> None:
        self.client = Spy(
            boto3.client(
                "sns",
                region_name="us-east-1",
                aws_access_key_id="embedded",
                aws_secret_access_key="embedded",
            )
        )
        self.applications = {
            platform: self.client.create_platform_application(
                Name=f"app-{platform}", Platform=name, Attributes={"PlatformCredential": "x"}
            )["PlatformApplicationArn"]
            for platform, name in PLATFORMS.items()
        }
        self.push = SnsPush(self.client, self.applications)

    def heard(self, endpoint: str) -> list[Any]:
        """What SNS would deliver there."""
        kept = sns_backends[DEFAULT_ACCOUNT_ID]["us-east-1"].platform_endpoints[endpoint]
        return [json.loads(message) for message in kept.messages.values()]

    def attributes(self, endpoint: str) -> dict[str, str]:
        found: dict[str, str] = self.client.get_endpoint_attributes(EndpointArn=endpoint)[
            "Attributes"
        ]
        return found

    def disable(self, endpoint: str) -> None:
        self.client.set_endpoint_attributes(EndpointArn=endpoint, Attributes={"Enabled": "false"})


@pytest.fixture
def sns(moto: embedded.Locked) -> Iterator[Sns]:
    sns_backends[DEFAULT_ACCOUNT_ID]["us-east-1"].reset()
    yield Sns()
    sns_backends[DEFAULT_ACCOUNT_ID]["us-east-1"].reset()


def endpoint(sns: Sns, platform: str = "apns", token: str = TOKEN) -> str:
    made = sns.push.register(platform, token)
    assert made is not None
    return made


def test_sns_an_endpoint_holds_the_token_and_nothing_of_the_player(sns: Sns) -> None:
    for platform in PLATFORMS:
        token = f"{TOKEN}-{platform}"
        made = endpoint(sns, platform, token)
        assert sns.attributes(made) == {"Enabled": "true", "Token": token}
        assert endpoint(sns, platform, token) == made


def test_sns_a_token_that_comes_back_is_enabled_again(sns: Sns) -> None:
    made = endpoint(sns)
    sns.disable(made)
    assert endpoint(sns) == made
    assert sns.attributes(made)["Enabled"].lower() == "true"


def test_sns_a_platform_without_an_application_is_refused(sns: Sns) -> None:
    push = SnsPush(sns.client, {"fcm": sns.applications["fcm"]})
    assert push.configured
    assert push.register("apns", TOKEN) is None


def test_sns_apple_gets_an_alert_that_replaces_the_rooms_last(sns: Sns) -> None:
    for platform in ("apns", "apns-sandbox"):
        made = endpoint(sns, platform, f"{TOKEN}-{platform}")
        assert sns.push.send(made, platform, MESSAGE)
        (sent,) = sns.heard(made)
        assert sent.keys() == {"default", GROUPS[platform]}
        assert json.loads(sent[GROUPS[platform]]) == {
            "aps": {
                "alert": {"title": MESSAGE["title"], "body": MESSAGE["body"]},
                "thread-id": "ABCDEF",
            },
            "code": "ABCDEF",
            "decision": "7",
            "kind": "your-move",
        }
        attributes = sns.client.published[-1]["MessageAttributes"]
        assert attributes[COLLAPSE]["StringValue"] == "ABCDEF"


def test_sns_google_gets_a_notification_that_replaces_the_rooms_last(sns: Sns) -> None:
    made = endpoint(sns, "fcm")
    assert sns.push.send(made, "fcm", MESSAGE)
    (sent,) = sns.heard(made)
    message = json.loads(sent["GCM"])["fcmV1Message"]["message"]
    assert message["notification"] == {"title": MESSAGE["title"], "body": MESSAGE["body"]}
    assert message["data"] == {"code": "ABCDEF", "decision": "7", "kind": "your-move"}
    assert message["android"]["collapse_key"] == "ABCDEF"


def test_sns_a_payload_is_small(sns: Sns) -> None:
    """4 KB is what the platforms take."""
    for platform in GROUPS:
        for locale in content.LOCALES:
            for kind in KINDS:
                for game in GAMES:
                    words = content.push_text(kind, game, locale)
                    sent = payload(platform, MESSAGE | words)[GROUPS[platform]]
                    assert len(sent.encode()) < 1_024


def test_sns_a_disabled_endpoint_is_dead_and_deleted(sns: Sns) -> None:
    made = endpoint(sns)
    sns.disable(made)
    assert not sns.push.send(made, "apns", MESSAGE)
    with pytest.raises(sns.client.exceptions.NotFoundException):
        sns.attributes(made)


def test_sns_an_endpoint_that_somebody_deleted_is_dead(sns: Sns) -> None:
    made = endpoint(sns)
    sns.push.forget(made)
    sns.push.forget(made)
    assert not sns.push.send(made, "apns", MESSAGE)


def test_sns_what_fails_otherwise_is_no_reason_to_drop_a_phone(sns: Sns) -> None:
    made = endpoint(sns)
    with pytest.raises(sns.client.exceptions.InvalidParameterException):
        sns.push.send(made, "apns", MESSAGE | {"body": "x" * 300_000})
    assert sns.attributes(made)["Enabled"] == "true"


def test_sns_from_registration_to_a_dead_phone_through_the_app(
    sns: Sns, moto: embedded.Locked, tables: dict[str, str]
) -> None:
    world = lasting(moto, tables, push=sns.push)
    room = DiceRoom(world, 2)
    for person in room.people:
        assert put(person, "one", "apns").status == 204
        assert put(person, "two", "fcm").status == 204
    room.start()
    (guest,) = room.guests
    devices = world.service.players.devices(guest.id)
    assert len(devices) == 2
    for device in devices:
        (sent,) = sns.heard(device.endpoint)
        assert '"match-started"' in sent[GROUPS[device.platform]]
    sns.disable(devices[0].endpoint)
    wait(world, 61)
    world.service.notify(world.service.fire(room.code))
    assert world.service.players.devices(guest.id) == devices[1:]
    assert len(sns.heard(devices[1].endpoint)) == 2
