"""What is kept of a finished match: its record, everybody's result and TEMPLE, all at once and
once only; and what can be read of it afterwards."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from chalicelib import finish
from chalicelib.adapters.dynamo_players import DynamoPlayers
from chalicelib.content import LOCALES
from chalicelib.games import GAMES
from chalicelib.kernel.errors import TryAgain
from chalicelib.kernel.room import Room
from chalicelib.ports import Profile
from chalicelib.ratings import PAIR_LIMIT, Rating, after
from infra.local import embedded, verify
from tests.fakes import FakeClock, MemoryPlayers
from tests.lasting import RANKED, everything, finished, lasting, me, results, text, wait
from tests.table import Table
from tests.test_calls import Counted
from tests.test_push import played
from tests.world import DiceRoom, Person, World

HOUR: Final = 3_600_000
PEOPLE: Final = [f"{letter}" * 26 for letter in "abcdefghijkl"]


@pytest.fixture
def players(moto: embedded.Locked, tables: dict[str, str]) -> DynamoPlayers:
    return DynamoPlayers(moto, tables["PlayersTable"])


@pytest.fixture
def world(moto: embedded.Locked, tables: dict[str, str]) -> World:
    return lasting(moto, tables)


_bases: dict[int, Room] = {}


def ended(number: int, who: list[str], positions: list[int], *, ranked: bool = True) -> Room:
    """A room whose match `number` of liar's dice is over: who sat there, and how they ended."""
    count = len(who)
    if count not in _bases:
        table = Table("liars-dice", count, RANKED)
        table.start()
        _bases[count] = table.room
    room = _bases[count]
    seats = dict(enumerate(who))
    members = tuple(
        each.evolve(id=seats[each.seat]) for each in room.members if each.seat is not None
    )
    match = room.match
    assert match is not None
    began = match.began_at + number * HOUR
    match = match.evolve(
        number=number,
        ranked=ranked,
        began_at=began,
        opened_at=began + 60_000,
        state=match.state.evolve(position=tuple(positions), over=True),
    )
    return room.evolve(members=members, match=match)


def keep(players: Any, *matches: Room) -> None:
    for match in matches:
        finish.archive(match, GAMES, players)


def ratings(players: Any, *who: str) -> list[Rating]:
    return [players.profile(each).rating for each in who]


# --- exactly once ---------------------------------------------------------------------------------


def test_a_match_is_kept_with_all_its_results_and_ratings(players: DynamoPlayers) -> None:
    who = PEOPLE[:6]
    keep(players, ended(1, who, [1, 2, 3, 4, 5, 5]))
    temples = [round(rating.temple - 1500, 2) for rating in ratings(players, *who)]
    assert temples == [20, 12, 4, -4, -16, -16]  # RULES' six newcomers
    for player, position in zip(who, [1, 2, 3, 4, 5, 5], strict=True):
        (row,) = players.results(player, 10, None).items
        assert (row["position"], row["tied"]) == (position, position == 5)
        assert row["temple_before"] == 1500


def test_it_is_kept_once_however_often(players: DynamoPlayers) -> None:
    match = ended(1, PEOPLE[:3], [1, 2, 3])
    keep(players, match, match, match)
    assert [rating.matches for rating in ratings(players, *PEOPLE[:3])] == [1, 1, 1]
    assert len(players.archived(match.code, 1)) == 1
    assert len(players.results(PEOPLE[0], 10, None).items) == 1


def test_it_is_one_transaction(moto: embedded.Locked, tables: dict[str, str]) -> None:
    client = Counted(moto)
    keep(DynamoPlayers(client, tables["PlayersTable"]), ended(1, PEOPLE[:6], [1, 2, 3, 4, 5, 5]))
    assert client.calls == {"BatchGetItem": 1, "TransactWriteItems": 1}


class Meddled(DynamoPlayers):
    """Between the reading of ratings and the writing, something happens, one thing each time."""

    def __init__(self, client: Any, table: str) -> None:
        super().__init__(client, table)
        self.meanwhile: list[Callable[[], None]] = []

    def profiles(self, players: Any) -> dict[str, Profile]:
        found = super().profiles(players)
        if self.meanwhile:
            self.meanwhile.pop(0)()
        return found


@pytest.fixture
def meddled(moto: embedded.Locked, tables: dict[str, str]) -> Meddled:
    return Meddled(moto, tables["PlayersTable"])


def test_a_rating_that_moves_meanwhile_is_read_again(
    meddled: Meddled, players: DynamoPlayers
) -> None:
    one, two = ended(1, PEOPLE[:3], [1, 2, 3]), ended(2, PEOPLE[2:5], [1, 2, 3])
    meddled.meanwhile.append(lambda: keep(players, two))
    keep(meddled, one)
    kept = ratings(players, *PEOPLE[:5])
    new = after([Rating()] * 3, [1, 2, 3])
    expected = after([Rating(), Rating(), new[0]], [1, 2, 3])
    assert kept == [*expected, *new[1:]]


def test_ratings_that_keep_moving_give_up_and_change_nothing(
    meddled: Meddled, players: DynamoPlayers
) -> None:
    others = [ended(10 + n, [PEOPLE[2], PEOPLE[3 + n % 8]], [1, 2]) for n in range(8)]
    meddled.meanwhile = [lambda other=other: keep(players, other) for other in others]  # type: ignore[misc]
    match = ended(1, PEOPLE[:3], [1, 2, 3])
    with pytest.raises(TryAgain):
        keep(meddled, match)
    assert players.archived(match.code, 1) == []
    assert ratings(players, *PEOPLE[:2]) == [Rating(), Rating()]
    keep(meddled, match)
    assert [rating.matches for rating in ratings(players, *PEOPLE[:2])] == [1, 1]


def test_whoever_is_forgotten_meanwhile_is_left_out(
    meddled: Meddled, players: DynamoPlayers
) -> None:
    match = ended(1, PEOPLE[:3], [1, 2, 3])
    assert match.match is not None
    now = match.match.opened_at

    def forget() -> None:
        assert players.bury(PEOPLE[1], now, now // 1_000, now // 1_000 + 99)

    meddled.meanwhile.append(forget)
    keep(meddled, match)
    assert players.results(PEOPLE[1], 10, None).items == []
    assert players.profile(PEOPLE[1]).rating == Rating()
    expected = after([Rating()] * 3, [1, 2, 3])
    assert ratings(players, PEOPLE[0], PEOPLE[2]) == [expected[0], expected[2]]


def test_a_match_whose_players_have_all_been_forgotten_is_kept_all_the_same(
    players: DynamoPlayers,
) -> None:
    match = ended(1, PEOPLE[:2], [1, 2])
    members = tuple(each.evolve(erased=True) for each in match.members)
    keep(players, match.evolve(members=members))
    assert len(players.archived(match.code, 1)) == 1
    assert players.results(PEOPLE[0], 10, None).items == []


def test_a_key_that_was_forgotten_once_is_rated_again_from_the_start(
    players: DynamoPlayers,
) -> None:
    first = ended(1, PEOPLE[:2], [1, 2])
    keep(players, first)
    assert first.match is not None
    now = first.match.opened_at + 1
    assert players.bury(PEOPLE[0], now, now // 1_000, now // 1_000 + 99)
    keep(players, ended(2, PEOPLE[:2], [1, 2]))
    (expected, _) = after([Rating(), Rating(1480, 1)], [1, 2])
    assert players.profile(PEOPLE[0]).rating == expected
    assert players.profile(PEOPLE[1]).rating.matches == 2


def test_after_five_rated_matches_a_day_two_players_play_for_nothing(
    players: DynamoPlayers,
) -> None:
    two = PEOPLE[:2]
    keep(players, *(ended(number, two, [1, 2]) for number in range(1, 8)))
    assert [rating.matches for rating in ratings(players, *two)] == [PAIR_LIMIT] * 2
    rows = players.results(two[0], 10, None).items
    assert [row["temple_after"] is None for row in rows] == [True] * 2 + [False] * 5
    keep(players, ended(8, list(reversed(two)), [2, 1]))  # the seats do not matter
    assert ratings(players, two[0])[0].matches == PAIR_LIMIT
    keep(players, ended(9, [two[0], PEOPLE[2]], [1, 2]))  # another pair
    keep(players, ended(10, PEOPLE[:3], [1, 2, 3]))  # three are no pair
    keep(players, ended(30, two, [1, 2]))  # the next day
    assert ratings(players, two[0])[0].matches == PAIR_LIMIT + 3


def test_an_unranked_match_goes_into_history_alone(players: DynamoPlayers) -> None:
    keep(players, ended(1, PEOPLE[:2], [1, 2], ranked=False))
    (row,) = players.results(PEOPLE[0], 10, None).items
    assert (row["position"], row["temple_before"], row["temple_after"]) == (1, None, None)
    assert not players.profile(PEOPLE[0]).known


def test_a_thousand_ranked_results_played_again_from_history_give_the_same_ladder(
    players: DynamoPlayers,
) -> None:
    """400 matches of twelve people, of two to six each, kept in memory: some 1,500 results. Of
    these the first 40 matches, some 150 results, are kept in DynamoDB too."""
    dice = random.Random(5)
    memory = MemoryPlayers()
    rows: list[dict[str, Any]] = []
    for number in range(1, 401):
        who = dice.sample(PEOPLE, dice.choice([2, 3, 4, 6]))
        places = sorted(dice.randint(1, len(who)) for _ in who)
        positions = [1 + sum(other < place for other in places) for place in places]
        match = ended(number, who, positions)
        keep(memory, match)
        if number <= 40:
            keep(players, match)
        if number == 40:
            alike = dict(memory.known)
    for kept in memory.finished.values():
        rows += [
            {"player": each.player, "match": each.match, "position": each.position}
            for each in kept.results
            if each.after is not None
        ]
    assert len(rows) > 1_000
    assert replayed(rows) == {player: memory.known[player].rating for player in PEOPLE}

    stored = [
        {"player": player, "match": row["match"], "position": row["position"]}
        for player in PEOPLE
        for row in players.results(player, 100, None).items
        if row["temple_after"] is not None
    ]
    again = replayed(stored)
    assert {player: players.profile(player).rating for player in PEOPLE} == again
    ladder = players.ladder(100, None).items
    assert {(each["player_id"], each["temple"], each["matches"]) for each in ladder} == {
        (player, round(rating.temple), rating.matches)
        for player, rating in again.items()
        if rating.matches >= 10
    }
    assert again == {player: profile.rating for player, profile in alike.items()}


def replayed(rows: list[dict[str, Any]]) -> dict[str, Rating]:
    """Everybody's rating, from history rows alone."""
    matches: dict[int, dict[str, int]] = defaultdict(dict)
    for row in rows:
        matches[row["match"]][row["player"]] = row["position"]
    found: dict[str, Rating] = defaultdict(Rating)
    for _, positions in sorted(matches.items()):
        who = list(positions)
        new = after([found[each] for each in who], [positions[each] for each in who])
        found.update(zip(who, new, strict=True))
    return dict(found)


# --- through the app ------------------------------------------------------------------------------


def test_a_ranked_match_moves_temple_and_history(world: World) -> None:
    room = DiceRoom(world, 2, RANKED)
    (guest,) = room.guests
    finished(room, loser=guest)
    assert (me(room.host)["temple"], me(guest)["temple"]) == (1520, 1480)
    (row,) = results(guest)
    assert row == {
        "ended_at": world.service.clock.now(),
        "code": room.code,
        "match": 1,
        "game": "liars-dice",
        "status": "completed",
        "players": 2,
        "position": 2,
        "tied": False,
        "points": None,
        "temple_before": 1500,
        "temple_after": 1480,
    }


class Faulty:
    """A client whose next transactions fail, before or after they are done."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.faults: list[str] = []
        self.exceptions = client.exceptions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def transact_write_items(self, **arguments: Any) -> Any:
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "lost":
            self._client.transact_write_items(**arguments)
        if fault == "throttled":
            reasons = [{"Code": "ThrottlingError"}] * len(arguments["TransactItems"])
            raise self.exceptions.TransactionCanceledException(
                {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons},
                "TransactWriteItems",
            )
        if fault:
            raise ConnectionError(fault)
        return self._client.transact_write_items(**arguments)


@pytest.mark.parametrize("fault", ["refused", "lost", "throttled"])
@pytest.mark.parametrize("ends_by", ["an action", "time"])
def test_a_transaction_that_fails_is_repeated_by_the_beat_and_counts_once(
    moto: embedded.Locked, tables: dict[str, str], fault: str, ends_by: str
) -> None:
    client = Faulty(moto)
    world = lasting(client, tables)
    room = DiceRoom(world, 2, RANKED).start()
    (guest,) = room.guests
    client.faults = [fault] * (finish.ATTEMPTS if fault == "throttled" else 1)
    if ends_by == "time":
        client.faults *= 2  # whoever sees the end store it tries again
    if ends_by == "time":
        turn = room.on_turn
        wait(world, 61)
        world.service.fire(room.code)
        wait(world, 8)
        world.service.fire(room.code)
        losers = [turn]
    else:
        assert guest.act(room.code, "leave").status == 200
        losers = [guest]
    assert client.faults == []
    if fault != "lost":
        assert me(guest)["matches"] == 0
    clock = world.service.clock
    assert isinstance(clock, FakeClock)
    due = world.service.rooms.due("0", clock.now() - HOUR, 10)
    found = fault == "lost" and ends_by == "time"  # kept, as who tried again has seen
    assert [code for _, code in due] == [room.code] * (not found)  # due until it is kept
    assert world.beat(BEAT_EVENT) == (not found)
    assert world.service.rooms.due("0", clock.now() - HOUR, 10) == []
    for person in room.people:
        assert me(person)["matches"] == 1
        (row,) = results(person)
        assert row["position"] == (2 if person in losers else 1)
        assert row["temple_after"] == (1480 if person in losers else 1520)


BEAT_EVENT: Final = {
    "version": "0",
    "id": "x",
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "account": "0",
    "time": "2027-01-15T08:00:00Z",
    "region": "us-east-1",
    "resources": [],
    "detail": {},
}


def test_a_rematch_waits_until_the_last_result_is_kept(
    moto: embedded.Locked, tables: dict[str, str]
) -> None:
    client = Faulty(moto)
    world = lasting(client, tables)
    room = DiceRoom(world, 2, RANKED).start()
    (guest,) = room.guests
    client.faults = ["refused"] * 3
    guest.act(room.code, "leave")
    guest.join(room.code)  # tries again in vain
    reply = room.host.act(room.code, "start", match=2)
    assert reply.code == "try-again"
    assert reply.headers["Retry-After"] == "1"
    assert client.faults == []
    room.start()
    assert me(guest)["matches"] == 1


def test_an_end_is_stored_before_it_is_kept(moto: embedded.Locked, tables: dict[str, str]) -> None:
    """Somebody who leaves in time changes who wins; a handler that was quicker to see the end, but
    slower to store it, must not have kept another one."""
    world = lasting(moto, tables)
    people = [world.person(f"Guest {number}") for number in range(3)]
    code = played_to_last_reveal(world, people)
    rooms, clock = world.service.rooms, world.service.clock
    assert isinstance(clock, FakeClock)
    before = people[0].view(code)["match"]
    best = max(before["public"]["scores"], key=lambda each: each["points"])["seat"]
    leader = next(each for each in people if each.view(code)["you"]["seat"] == best)
    late = lasting(moto, tables)
    late_clock = late.service.clock
    assert isinstance(late_clock, FakeClock)
    late_clock.at, late_clock.really = before["due_at"] + 1, clock.real()
    put = late.service.rooms.put

    def slow(saving: Any, was: Any, now: Any) -> None:
        late.service.rooms.put = put  # type: ignore[method-assign]
        assert leader.act(code, "leave").status == 200  # received in time, by its own clock
        put(saving, was, now)

    late.service.rooms.put = slow  # type: ignore[method-assign]
    late.service.fire(code)
    other = next(each for each in people if each is not leader)
    clock.at = before["due_at"] + 2
    outcome = other.view(code)["match"]["outcome"]
    assert best not in outcome["winners"]
    record = other.send("GET", f"/v1/rooms/{code}/matches/1").body
    assert record["outcome"] == outcome
    assert rooms.due("0", 0, 10) == []


def played_to_last_reveal(world: World, people: list[Person]) -> str:
    """Almost even, nobody answering but authors and voters, up to the last reveal."""
    host = people[0]
    body = {"game": "almost-even", "visibility": "private", "name": host.name}
    code = str(host.send("POST", "/v1/rooms", body).body["room"]["code"])
    for person in people[1:]:
        person.join(code)
    assert host.act(code, "start", match=1).status == 200
    clock = world.service.clock
    assert isinstance(clock, FakeClock)
    while True:
        match = host.view(code)["match"]
        public = match["public"]
        if match["phase"] == "reveal" and public["round"] == public["rounds"]:
            return code
        if match["phase"] == "vote":
            sides = iter("ab")
            for person in people:
                if person.view(code)["match"]["your_move"]:
                    person.act(code, "vote", match["decision"], side=next(sides))
        elif match["phase"] == "author":
            author = next(each for each in people if each.view(code)["match"]["your_move"])
            card = author.view(code)["match"]["private"]["cards"][0]["card"]
            author.act(code, "publish", match["decision"], card=card, twist=0)
        else:
            clock.wait(18)


# --- history, ladder, profile ---------------------------------------------------------------------


def test_history_is_newest_first_page_by_page(world: World) -> None:
    room = DiceRoom(world, 2)
    (guest,) = room.guests
    for _ in range(7):
        finished(room, loser=guest)
        wait(world, 1)
    first = guest.send("GET", "/v1/me/results?limit=3").body
    assert [row["match"] for row in first["items"]] == [7, 6, 5]
    next_ = guest.send("GET", f"/v1/me/results?limit=3&cursor={first['next_cursor']}").body
    assert [row["match"] for row in next_["items"]] == [4, 3, 2]
    assert [row["match"] for row in results(guest)] == [7, 6, 5, 4, 3, 2, 1]
    wrong = room.host.send("GET", f"/v1/me/results?cursor={first['next_cursor']}")
    assert wrong.code == "bad-request"  # it was given to somebody else


def test_the_ladder_has_those_with_ten_ranked_matches(world: World, players: DynamoPlayers) -> None:
    for number in range(1, 10):
        keep(players, ended(number, PEOPLE[:3], [1, 2, 3]))
    assert world.send("GET", "/v1/leaderboard").body == {"items": [], "next_cursor": None}
    keep(players, ended(10, PEOPLE[1:4], [1, 2, 3]))
    rows = world.send("GET", "/v1/leaderboard").body["items"]
    assert [(row["rank"], row["player_id"], row["matches"]) for row in rows] == [
        (1, PEOPLE[1], 10),
        (2, PEOPLE[2], 10),
    ]
    assert rows[0] == {
        "rank": 1,
        "player_id": PEOPLE[1],
        "name": None,
        "temple": round(players.profile(PEOPLE[1]).rating.temple),
        "matches": 10,
    }


def test_ranks_go_on_over_pages_and_whoever_is_forgotten_leaves_the_ladder(
    world: World, players: DynamoPlayers
) -> None:
    for number in range(1, 11):
        keep(
            players,
            ended(number, PEOPLE[:6], [1, 2, 3, 4, 5, 6]),
            ended(100 + number, PEOPLE[6:], [1, 2, 3, 4, 5, 6]),
        )
    players.change_profile(PEOPLE[0], Profile(name="Ana"))
    players.change_profile(PEOPLE[6], Profile(name="hijo de puta"))
    seen: list[Any] = []
    at = ""
    while True:
        page = world.send("GET", f"/v1/leaderboard?limit=5{at}").body
        seen += page["items"]
        if page["next_cursor"] is None:
            break
        at = f"&cursor={page['next_cursor']}"
    assert [row["rank"] for row in seen] == list(range(1, 13))
    temples = [row["temple"] for row in seen]
    assert temples == sorted(temples, reverse=True)
    assert {row["player_id"] for row in seen} == set(PEOPLE)
    names = {row["player_id"]: row["name"] for row in seen}
    assert (names[PEOPLE[0]], names[PEOPLE[6]]) == ("Ana", None)  # strangers read these
    assert players.bury(PEOPLE[0], 1, 1, 1 << 40)
    left = world.send("GET", "/v1/leaderboard?limit=100").body["items"]
    assert PEOPLE[0] not in {row["player_id"] for row in left}
    assert len(left) == 11


def test_a_player_is_shown_as_api_md_says(world: World) -> None:
    room = DiceRoom(world, 2, RANKED)
    (guest,) = room.guests
    guest.send("PATCH", "/v1/me", {"name": "Guille"})
    finished(room, loser=guest)
    shown = world.send("GET", f"/v1/players/{guest.id}")
    assert shown.body == {
        "player_id": guest.id,
        "name": "Guille",
        "temple": 1480,
        "provisional": True,
        "matches": 1,
    }
    assert guest.send("DELETE", "/v1/me").status == 204
    gone = world.send("GET", f"/v1/players/{guest.id}")
    stranger = world.send("GET", f"/v1/players/{world.person('Nobody').id}")
    assert (gone.code, gone.text) == ("not-found", stranger.text)
    assert world.send("GET", "/v1/players/Nobody").code == "not-found"


def test_a_name_that_strangers_should_not_read_is_shown_to_its_owner_alone(world: World) -> None:
    ana = world.person("Ana")
    assert ana.send("PATCH", "/v1/me", {"name": "Hijo de puta"}).status == 200
    assert me(ana)["name"] == "Hijo de puta"
    assert world.send("GET", f"/v1/players/{ana.id}").body["name"] is None


# --- the record -----------------------------------------------------------------------------------


def test_a_record_is_for_those_who_played(world: World) -> None:
    room = DiceRoom(world, 3)
    oto = world.person("Oto")
    room.start()
    oto.join(room.code)
    for guest in room.guests:
        assert guest.act(room.code, "leave").status == 200
    for person in room.people:  # those who left played too
        reply = person.send("GET", f"/v1/rooms/{room.code}/matches/1")
        assert reply.status == 200
        assert {each["player_id"] for each in reply.body["players"]} == {
            each.id for each in room.people
        }
    lower = room.host.send("GET", f"/v1/rooms/{room.code.lower()}/matches/1")
    assert lower.status == 200
    stranger = world.person("Sol").send("GET", f"/v1/rooms/{room.code}/matches/1")
    assert stranger.code == "not-found"
    assert oto.send("GET", f"/v1/rooms/{room.code}/matches/1").text == stranger.text
    for number in ("0", "2", "x", "-1", "1.0", "01e3", "9999999"):
        assert room.host.send("GET", f"/v1/rooms/{room.code}/matches/{number}").code == "not-found"
    assert world.send("GET", f"/v1/rooms/{room.code}/matches/1").code == "signature-missing"


def test_a_record_outlives_the_room_and_another_with_its_code(world: World) -> None:
    room = DiceRoom(world, 2).start()
    room.guests[0].act(room.code, "leave")
    wait(world, 86_400)
    assert room.host.read(room.code).code == "not-found"
    assert room.host.send("GET", f"/v1/rooms/{room.code}/matches/1").status == 200
    rooms: Any = world.service
    letters = iter([room.code])
    pick = world.service.chance.pick
    world.service.chance.pick = (  # type: ignore[method-assign]
        lambda items, k: next(letters, None) or pick(items, k)
    )
    again = DiceRoom(world, 2)
    assert again.code == room.code
    assert rooms is world.service
    other = world.person("Sol")
    other.join(again.code)
    again.host.act(again.code, "leave")
    host = again.guests[0]
    assert host.act(again.code, "start", match=1).status == 200
    other.act(again.code, "leave")
    both = [host.send("GET", f"/v1/rooms/{room.code}/matches/1").body for _ in "12"]
    assert len({each["began_at"] for each in both}) == 1
    assert {each["player_id"] for each in both[0]["players"]} == {host.id, other.id}
    old = again.host.send("GET", f"/v1/rooms/{room.code}/matches/1").body
    assert old["began_at"] < both[0]["began_at"]


def by_time(world: World, room: DiceRoom) -> None:
    """The match goes on to its end with bids and calls, by the clock."""
    while room.host.view(room.code)["room"]["status"] == "playing":
        match = room.match
        if match["phase"] == "turn":
            turn = room.on_turn
            if match["public"]["bids"]:
                turn.act(room.code, "challenge", match["decision"])
            else:
                turn.act(room.code, "bid", match["decision"], quantity=2, face=4)
        else:
            wait(world, 8)


@pytest.mark.parametrize("settings", [{}, {"ones_wild": False}])
def test_a_record_of_dice_can_be_verified(world: World, settings: Mapping[str, Any]) -> None:
    room = DiceRoom(world, 3, settings)
    room.host.act(room.code, "entropy", value="salt")
    room.start()
    by_time(world, room)
    room.host.act(room.code, "configure", settings={"bullets": 3, "ones_wild": True})
    record = room.host.send("GET", f"/v1/rooms/{room.code}/matches/1").body
    fairness = record["public"]["fairness"]
    assert fairness["master_seed"] is not None
    assert [row["round"] for row in fairness["rounds"]] == list(
        range(1, len(fairness["rounds"]) + 1)
    )
    checks = verify.check(verify.read(record))
    assert verify.verified(checks)
    totals = verify.totals(checks)
    assert totals["root"] == len(fairness["rounds"])
    assert totals["dice"] >= 10
    assert totals["chambers"] >= 1
    assert totals["count"] == 1
    record["public"]["reveal"]["dice"]["0"] = [9] * 5
    assert not verify.verified(verify.check(verify.read(record)))


def test_a_record_is_in_the_readers_language(world: World) -> None:
    memory = World()
    people = [memory.person(f"Guest {number}") for number in range(3)]
    played(memory, "almost-even", people)
    (kept,) = memory.players.finished.values()
    public = json.loads(kept.record)["public"]
    assert public.keys() == set(LOCALES)
    assert public["es"]["dilemma"]["prompt"] != public["en"]["dilemma"]["prompt"]
    room = DiceRoom(world, 2).start()
    room.guests[0].act(room.code, "leave")
    for locale in LOCALES:
        record = room.host.send("GET", f"/v1/rooms/{room.code}/matches/1", locale=locale).body
        assert record["public"].keys() >= {"round", "players", "fairness"}


@pytest.mark.parametrize("game", GAMES)
def test_a_record_holds_no_name_of_anybody(game: str) -> None:
    world = World()
    played(world, game, [world.person(f"Canary {number}") for number in range(4)])
    (kept,) = world.players.finished.values()
    assert "Canary" not in kept.record
    assert "Canary" not in str(kept.results)


def test_a_record_of_almost_even_says_of_nobody_what_they_wrote_or_chose() -> None:
    world = World()
    code = played(world, "almost-even", people := [world.person(f"P {n}") for n in range(4)])
    (kept,) = world.players.finished.values()
    record = json.loads(kept.record)
    at_the_table = people[0].view(code)["match"]["public"]
    assert at_the_table["reveal"]["a"]  # the table has seen it
    for locale in LOCALES:
        public = record["public"][locale]
        assert public.keys() == {"round", "rounds", "dilemma", "scores", "reveal"}
        assert public["reveal"].keys() == {
            "accepted",
            "minority",
            "ideal",
            "distance",
            "points",
            "reserve",
        }
    assert record["outcome"]["standings"] == people[0].view(code)["match"]["outcome"]["standings"]


def test_a_record_of_crossed_coordinates_says_of_nobody_anything_but_that_they_played() -> None:
    world = World()
    played(world, "crossed-coordinates", [world.person(f"P {number}") for number in range(5)])
    (kept,) = world.players.finished.values()
    record = json.loads(kept.record)
    assert record["outcome"] == {"status": "completed", "standings": [], "winners": []}
    for locale in LOCALES:
        public = record["public"][locale]
        assert public.keys() == {
            "round",
            "candidates",
            "signals",
            "score",
            "rounds",
            "reveal",
        }
        written = json.dumps(public)
        for word in ("seat", "player", "author", '"ballot', "_at", "vote:"):
            assert word not in written
        assert all(isinstance(votes, int) for votes in public["reveal"]["place_votes"].values())
    assert all(each.position is None for each in kept.results)


def test_history_of_a_game_without_positions_or_points_says_null(world: World) -> None:
    room = ended(1, PEOPLE[:2], [1, 2], ranked=False)
    assert room.match is not None
    keep(world.service.players, room.evolve(match=room.match.evolve(broken=True)))
    (row,) = world.service.players.results(PEOPLE[0], 10, None).items
    assert (row["status"], row["position"], row["points"], row["tied"]) == (
        "interrupted",
        None,
        None,
        False,
    )


def test_nothing_that_was_kept_names_a_key_or_a_device(
    world: World, moto: embedded.Locked, tables: dict[str, str]
) -> None:
    room = DiceRoom(world, 2, RANKED)
    finished(room, loser=room.guests[0])
    stored = text(everything(moto, tables["PlayersTable"]))
    for person in room.people:
        assert person.device.keyid.partition(":")[2] not in stored
        assert person.name not in stored


def test_a_match_of_which_many_have_been_forgotten_is_kept() -> None:
    """More than there are attempts, and back in the room as they are: without their results."""
    world = World()
    people = [world.person(f"Person {number}") for number in range(12)]
    body = {"game": "almost-even", "visibility": "private"}
    code = people[0].send("POST", "/v1/rooms", body).body["room"]["code"]
    for each in people[1:]:
        each.join(code)
    people[0].act(code, "start", match=1)
    world.clock.wait(1)
    for each in people[1:10]:
        assert each.send("DELETE", "/v1/me").status == 204
    world.clock.wait(2)
    for each in people[1:10]:
        each.join(code)
    for each in people[10:]:
        each.act(code, "leave")
    world.clock.wait(1)
    people[0].act(code, "leave")
    [kept] = world.players.finished.values()
    assert {each.player for each in kept.results} == {each.id for each in (people[0], *people[10:])}
    assert world.rooms.items[code].wake_at is None


def test_polls_do_not_try_again_what_could_not_be_kept() -> None:
    """Many may poll, and often; the beat tries, and whoever wants a rematch."""
    world = World()
    room = DiceRoom(world, 2).start()
    archive, world.players.archive = world.players.archive, broken  # type: ignore[method-assign, assignment]
    room.guests[0].act(room.code, "leave")
    world.players.calls.clear()
    room.host.view(room.code)
    assert world.players.calls == []
    world.players.archive = archive  # type: ignore[method-assign]
    assert room.host.act(room.code, "entropy", value="e").status == 200
    assert world.rooms.items[room.code].wake_at is None


def broken(*_: Any) -> None:
    raise ConnectionError("nobody there")
