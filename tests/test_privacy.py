"""What is kept of somebody, all of it to be had and to be deleted; and names that strangers
read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from chalicelib.kernel.lobby import BOT_NAMES
from chalicelib.kernel.names import NOBODY
from chalicelib.limits import ENTERED_ROOMS
from chalicelib.people import TOMBSTONE_SECONDS
from chalicelib.profanity import is_fit
from infra.local import embedded
from tests.fakes import BEGIN, FakeClock, FakePush
from tests.lasting import RANKED, everything, finished, lasting, me, results, text, wait
from tests.world import DiceRoom, Person, Reply, World

NOW: Final = BEGIN // 1_000
TOKEN: Final = "canary-token-of-her-phone"


class Life:
    """Ana, and everything that a service could know of her after a year, in DynamoDB. Bo and Cleo
    play with her."""

    def __init__(self, client: Any, tables: Mapping[str, str]) -> None:
        self.client, self.tables = client, tables
        self.push = FakePush(configured=True)
        self.world = lasting(client, tables, push=self.push)
        self.ana = Person(self.world, "CanaryAna")
        self.ana.send("PATCH", "/v1/me", {"name": "CanaryAna", "locale": "en"})
        body = {"platform": "apns", "token": TOKEN}
        assert self.ana.send("PUT", "/v1/me/push/phone", body).status == 204
        self.ranked = DiceRoom(self.world, 1, RANKED)
        self.bo, self.cleo = self.world.person("Bo"), self.world.person("Cleo")
        for each in (self.ana, self.bo):
            each.join(self.ranked.code)
        finished_of_three(self.ranked, self.ana, self.bo)
        # a match that runs, a lobby that she hosts, one that she left, one that kicked her
        self.running = DiceRoom(self.world, 3)
        self.ana.join(self.running.code)
        self.running.start()
        self.hosted = self.ana.create()
        self.cleo.join(self.hosted)
        self.left = self.bo.create()
        self.ana.join(self.left)
        assert self.ana.act(self.left, "leave").status == 200
        # a running match that she has left: her seat is still shown
        self.abandoned = DiceRoom(self.world, 2)
        self.ana.join(self.abandoned.code)
        self.abandoned.start()
        assert self.ana.act(self.abandoned.code, "leave").status == 200
        # a claim of hers, and a report on her
        assert self.ana.act(self.running.code, "claim-host").status == 200
        body = {"reason": "name", "room": self.running.code}
        assert self.bo.send("POST", f"/v1/players/{self.ana.id}/reports", body).status == 201
        wait(self.world, 2)

    def stored(self) -> list[dict[str, Any]]:
        return [item for table in self.tables.values() for item in everything(self.client, table)]

    def delete(self, **how: Any) -> Reply:
        return self.ana.send("DELETE", "/v1/me", **how)


def finished_of_three(room: DiceRoom, *others: Person) -> None:
    room.start()
    for each in others:
        assert each.act(room.code, "leave").status == 200


@pytest.fixture
def life(moto: embedded.Locked, tables: dict[str, str]) -> Life:
    return Life(moto, tables)


# --- export ---------------------------------------------------------------------------------------


def test_the_export_has_everything_that_lies_under_the_id(life: Life) -> None:
    export = life.ana.send("GET", "/v1/me/export").body
    assert export["player_id"] == life.ana.id
    kinds = {item["sk"].partition("/")[0] for item in export["items"]}
    assert kinds == {"profile", "in", "push", "result", "made", "count"}
    own = [item for item in life.stored() if item["pk"]["S"] == life.ana.id]
    assert len(export["items"]) == len(own)
    assert TOKEN in text(export)
    profile = next(item for item in export["items"] if item["sk"] == "profile")
    assert (profile["name"], profile["locale"]) == ("CanaryAna", "en")
    codes = {row["code"] for row in export["rooms"]}
    assert codes == {
        life.ranked.code,
        life.running.code,
        life.hosted,
        life.abandoned.code,
    }
    assert all(row["id"] == life.ana.id for row in export["rooms"])


def test_the_export_says_why_somebody_was_reported_and_not_by_whom(life: Life) -> None:
    export = life.ana.send("GET", "/v1/me/export")
    assert export.body["reports"] == [{"day": NOW // 86_400, "reason": "name"}]
    assert life.bo.id not in export.text
    assert life.cleo.id not in export.text


def test_a_stranger_has_an_empty_one(life: Life) -> None:
    sol = life.world.person("Sol")
    export = sol.send("GET", "/v1/me/export").body
    assert export == {"player_id": sol.id, "items": [], "rooms": [], "reports": []}


# --- deletion -------------------------------------------------------------------------------------


def test_nothing_is_left_but_an_opaque_id_in_others_results(life: Life) -> None:
    assert life.delete().status == 204
    stored = life.stored()
    everything_left = text(stored)
    for canary in ("CanaryAna", TOKEN, life.ana.device.keyid.partition(":")[2]):
        assert canary not in everything_left
    short = life.ana.id[:12]
    for item in stored:
        key = item["pk"]["S"]
        if short not in text(item):
            continue
        if key == life.ana.id:
            assert item.keys() == {"pk", "sk", "created", "deleted_at", "expires_at"}
        elif "record" in item:
            assert key.startswith("match/")
        else:
            # a match that the others still see: a seat without a name
            room = json.loads(item["doc"]["S"])
            assert key in {life.ranked.code, life.running.code, life.abandoned.code}
            (row,) = [each for each in room["members"] if each["id"] == life.ana.id]
            assert row["name"] == NOBODY
            assert row["erased"]
            assert not row.get("receipts")
            assert not row.get("pushed") or row["gone"]
            rest = {name: value for name, value in room.items() if name != "members"}
            assert short not in text(rest)
    assert life.push.dead == {f"apns/{TOKEN}"}


def test_the_running_match_stays_playable_and_shows_a_seat_without_a_name(life: Life) -> None:
    assert life.delete().status == 204
    room = life.running
    members = room.host.view(room.code)["room"]["members"]
    (row,) = [each for each in members if each["player_id"] == life.ana.id]
    assert (row["name"], row["left"]) == (NOBODY, True)
    assert room.host.view(room.code)["room"]["claim"] is None
    while room.host.view(room.code)["room"]["status"] == "playing":
        match = room.match
        if match["phase"] == "turn":
            room.bid(1, 3) if not match["public"]["bids"] else room.on_turn.act(
                room.code, "challenge", match["decision"]
            )
        else:
            wait(life.world, 8)
    for person in room.people:
        assert any(row["code"] == room.code for row in results(person))
    assert room.host.send("GET", f"/v1/rooms/{room.code}/matches/1").status == 200


def test_a_lobby_goes_on_with_another_host(life: Life) -> None:
    assert life.delete().status == 204
    view = life.cleo.view(life.hosted)
    assert view["room"]["host"] == life.cleo.id
    assert [each["name"] for each in view["room"]["members"]] == ["Cleo"]


def test_results_of_the_others_stay_as_they_were(life: Life) -> None:
    before = (me(life.bo), results(life.bo))
    assert life.delete().status == 204
    assert (me(life.bo), results(life.bo)) == before
    record = life.bo.send("GET", f"/v1/rooms/{life.ranked.code}/matches/1").body
    assert life.ana.id in {each["player_id"] for each in record["players"]}


def test_after_it_she_sees_and_may_do_nothing(life: Life) -> None:
    assert life.delete().status == 204
    wait(life.world, 1)
    assert life.ana.send("GET", "/v1/me/rooms").body["items"] == []
    assert results(life.ana) == []
    for code in (life.running.code, life.hosted, life.ranked.code):
        assert life.ana.read(code).code == "not-found"
    record = life.ana.send("GET", f"/v1/rooms/{life.ranked.code}/matches/1")
    assert record.status in (200, 404)


def test_a_room_that_has_expired_does_not_stand_in_the_way(life: Life) -> None:
    wait(life.world, 2 * 86_400)
    assert life.ana.read(life.hosted).code == "not-found"
    assert life.delete().status == 204
    assert "CanaryAna" not in text([item for item in life.stored() if "doc" not in item])


def test_what_dies_halfway_is_done_again_by_the_same_request(life: Life) -> None:
    players: Any = life.world.service.players
    erase = players.erase

    def dying(*_: Any) -> bool:
        players.erase = erase
        raise ConnectionError("the power is out")

    players.erase = dying
    created = NOW + 2
    assert life.delete(created=created).status == 500
    assert life.delete(created=created).status == 204
    assert "CanaryAna" not in text(life.stored())
    assert life.delete(created=created).status == 204


def test_who_has_entered_more_rooms_than_are_read_at_once_is_forgotten_in_all(life: Life) -> None:
    """Many requests at the same instant get past the limit."""
    for number in range(2 * ENTERED_ROOMS):
        life.world.service.players.enter(life.ana.id, f"22{number:04}", 1 << 40)
    assert life.delete().status == 204
    assert "CanaryAna" not in text(life.stored())


def test_a_phone_that_is_being_registered_meanwhile_does_not_stay(life: Life) -> None:
    register = life.push.register

    def meanwhile(platform: str, token: str) -> str | None:
        setattr(life.push, "register", register)  # noqa: B010
        assert life.delete(created=NOW + 5).status == 204
        life.push.dead.clear()
        return register(platform, token)

    setattr(life.push, "register", meanwhile)  # noqa: B010
    body = {"platform": "fcm", "token": f"{TOKEN}-2"}
    late = life.ana.send("PUT", "/v1/me/push/tablet", body, created=NOW + 4)
    assert (late.status, late.code) == (409, "stale-request")
    assert life.push.dead == {f"fcm/{TOKEN}-2"}
    assert TOKEN not in text(life.stored())
    wait(life.world, 10)
    again = life.ana.send("PUT", "/v1/me/push/tablet", body)
    assert again.status == 204
    assert len(life.world.service.players.devices(life.ana.id)) == 1


LATE: Final[Mapping[str, tuple[str, str, Any]]] = {
    "a change of name": ("PATCH", "/v1/me", {"name": "CanaryAna"}),
    "a phone": ("PUT", "/v1/me/push/phone", {"platform": "apns", "token": TOKEN}),
    "a phone that goes": ("DELETE", "/v1/me/push/phone", None),
    "a new room": (
        "POST",
        "/v1/rooms",
        {"game": "liars-dice", "visibility": "private", "name": "CanaryAna"},
    ),
    "coming in": ("POST", "/v1/rooms/{code}/actions", {"action": {"type": "join"}}),
    "coming in by name": (
        "POST",
        "/v1/rooms/{code}/actions",
        {"action": {"type": "join", "name": "CanaryAna"}},
    ),
    "deletion": ("DELETE", "/v1/me", None),
}


@pytest.mark.parametrize("what", LATE)
@pytest.mark.parametrize("created", [NOW + 1, NOW + 2])
def test_what_was_signed_before_is_refused_after(life: Life, what: str, created: int) -> None:
    assert life.delete(created=NOW + 2).status == 204
    before = life.stored()
    method, path, body = LATE[what]
    path = path.format(code=life.left)
    reply = life.ana.send(method, path, body, created=created)
    if what == "deletion" and created == NOW + 2:  # the same wish again
        assert reply.status == 204
        return
    assert reply.code == "stale-request"
    changed = [item for item in life.stored() if item not in before]
    assert [item["pk"]["S"].partition("/")[0] for item in changed] == []
    wait(life.world, 1)
    assert life.ana.send(method, path, body, created=NOW + 3).status < 300


def test_the_same_key_comes_back_unranked_and_without_a_name(life: Life) -> None:
    before = me(life.ana)
    assert before["matches"] == 1
    assert life.delete().status == 204
    wait(life.world, 1)
    assert me(life.ana) == {
        "player_id": life.ana.id,
        "name": None,
        "temple": 1500,
        "provisional": True,
        "matches": 0,
        "locale": None,
    }
    room = DiceRoom(life.world, 1, RANKED)
    life.ana.join(room.code)
    room.guests.append(life.ana)
    finished(room, loser=room.host)
    assert me(life.ana)["matches"] == 1
    assert [row["code"] for row in results(life.ana)] == [room.code]


def test_who_comes_back_into_the_running_match_observes_and_gets_no_result_of_it(
    life: Life,
) -> None:
    assert life.delete().status == 204
    wait(life.world, 1)
    life.ana.join(life.running.code)
    you = life.ana.view(life.running.code)
    assert you["you"]["role"] == "observer"
    assert you["match"]["private"] is None
    for guest in life.running.guests:
        guest.act(life.running.code, "leave")
    assert life.running.host.view(life.running.code)["room"]["status"] == "finished"
    assert results(life.ana) == []


def test_the_tombstone_lies_for_thirty_days(life: Life) -> None:
    assert life.delete().status == 204
    key = {"pk": {"S": life.ana.id}, "sk": {"S": "profile"}}
    item = life.client.get_item(TableName=life.tables["PlayersTable"], Key=key)["Item"]
    clock = life.world.service.clock
    assert isinstance(clock, FakeClock)
    assert int(item["expires_at"]["N"]) == clock.now() // 1_000 + TOMBSTONE_SECONDS
    assert TOMBSTONE_SECONDS == 30 * 86_400


def test_a_deletion_older_than_the_last_change_is_refused_and_changes_nothing(life: Life) -> None:
    life.ana.send("PATCH", "/v1/me", {"name": "Other"}, created=NOW + 5)
    before = life.stored()
    assert life.delete(created=NOW + 4).code == "stale-request"
    assert life.stored() == before


# --- names that strangers read --------------------------------------------------------------------

RUDE: Final = ["Puta", "hijo de puta", "CABRÓN", "g i l i p o l l a s", "Fuck", "sh1t", "n1gger"]


@pytest.mark.parametrize("name", RUDE)
def test_a_public_room_takes_no_insult(world: World, name: str) -> None:
    ana, bo = world.person("Ana"), world.person("Bo")

    def room(visibility: str, name: str) -> dict[str, str]:
        return {"game": "liars-dice", "visibility": visibility, "name": name}

    refused = ana.send("POST", "/v1/rooms", room("public", name), key="once")
    assert refused.code == "illegal-action"
    assert name not in refused.text
    created = ana.send("POST", "/v1/rooms", room("public", "Ana"), key="once")
    assert created.status == 201  # a refusal does not consume the key
    code = created.body["room"]["code"]
    assert bo.act(code, "join", name=name).code == "illegal-action"
    assert bo.read(code).code == "not-found"
    bo.send("PATCH", "/v1/me", {"name": name})
    assert bo.act(code, "join").code == "illegal-action"  # nor by the profile
    assert bo.send("POST", "/v1/rooms", room("public", "Bo") | {"name": None}).status in (400, 422)
    anonymous = {"game": "liars-dice", "visibility": "public"}
    assert bo.send("POST", "/v1/rooms", anonymous).code == "illegal-action"
    assert bo.act(code, "join", name="Bo").status == 200


def test_a_room_with_an_insult_in_it_cannot_be_made_public(world: World) -> None:
    room = DiceRoom(world, 1)
    rude = world.person("Puta")
    rude.join(room.code)  # among friends
    refused = room.host.act(room.code, "configure", visibility="public")
    assert refused.code == "illegal-action"
    assert refused.view["room"]["visibility"] == "private"
    assert world.send("GET", "/v1/rooms").body["items"] == []
    rude.act(room.code, "leave")
    assert room.host.act(room.code, "configure", visibility="public").status == 200


@pytest.mark.parametrize("locale", ["es", "en"])
def test_the_refusal_says_why(world: World, locale: str) -> None:
    body = {"game": "liars-dice", "visibility": "public", "name": "Puta"}
    reply = world.person("Ana").send("POST", "/v1/rooms", body, locale=locale)
    assert ("pública" if locale == "es" else "public") in reply.body["detail"]


@pytest.mark.parametrize(
    "name",
    [
        *BOT_NAMES,
        *("Ana", "Analía", "Concha", "Dick", "Willy", "Nacho", "Jesús", "Penélope", "Assumpta"),
        *(
            "Scunthorpe",
            "Hancock",
            "Dickson",
            "Moreno",
            "Ñusta",
            "Ana 2",
            "R2D2",
            "Guest",
            "Visita",
        ),
        NOBODY,
    ],
)
def test_people_may_be_called_by_their_names(name: str) -> None:
    assert is_fit(name)


# --- reports --------------------------------------------------------------------------------------


def reports(client: Any, tables: Mapping[str, str], player: str) -> tuple[int, int]:
    """(how many are kept, how many were counted)."""
    rows = [
        item
        for item in everything(client, tables["PlayersTable"])
        if item["pk"]["S"] == f"reports/{player}"
    ]
    counted = [int(item["times"]["N"]) for item in rows if "times" in item]
    return len(rows) - len(counted), sum(counted)


def test_a_report_is_kept_and_counted_once_for_each_reporter_and_day(
    moto: embedded.Locked, tables: dict[str, str]
) -> None:
    world = lasting(moto, tables)
    ana, bo, cleo = (world.person(name) for name in ("Ana", "Bo", "Cleo"))
    path = f"/v1/players/{ana.id}/reports"

    def told(who: Person, **body: str) -> None:
        reply = who.send("POST", path, {"reason": "conduct", **body})
        assert (reply.status, reply.body) == (201, {"reported": ana.id})

    told(bo)
    told(bo, room="ABCDEF")
    assert reports(moto, tables, ana.id) == (1, 1)
    told(cleo)
    assert reports(moto, tables, ana.id) == (2, 2)
    wait(world, 86_400)
    told(bo)
    assert reports(moto, tables, ana.id) == (3, 3)
    assert bo.id not in text(everything(moto, tables["PlayersTable"]))


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("nobody", {"reason": "name"}, "not-found"),
        ("{id}", {"reason": "because"}, "bad-request"),
        ("{own}", {"reason": "name"}, "illegal-action"),
        ("{id}", {}, "bad-request"),
        ("{id}", {"reason": "name", "text": "x"}, "bad-request"),
        ("{id}", {"reason": "name", "room": "ABCDEFG"}, "bad-request"),
    ],
)
def test_a_report_that_is_not_right_is_refused(
    world: World, path: str, body: dict[str, str], code: str
) -> None:
    ana, bo = world.person("Ana"), world.person("Bo")
    path = f"/v1/players/{path.format(id=ana.id, own=bo.id)}/reports"
    assert bo.send("POST", path, body).code == code
    assert world.send("POST", path, {"Content-Type": "application/json"}, b"{}").code in (
        "signature-missing",
        "not-found",
    )


def test_a_join_that_races_with_the_deletion_leaves_no_name(life: Life) -> None:
    """The profile is read before the tombstone, and the room is written after it."""
    players: Any = life.world.service.players
    enter = players.enter
    room = life.bo.create()

    def meanwhile(*arguments: Any) -> None:
        players.enter = enter
        assert life.delete(created=NOW + 5).status == 204
        enter(*arguments)

    players.enter = meanwhile
    late = life.ana.act(room, "join", name="CanaryAna", how={"created": NOW + 4})
    assert (late.status, late.code) == (409, "stale-request")
    assert "CanaryAna" not in text(life.stored())
