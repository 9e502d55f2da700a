"""Who may do what in a room, and what becomes of it (C-1, C-6, C-10; API.md "Actions")."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.games import GAMES
from chalicelib.kernel import room as rooms
from chalicelib.kernel.actions import MOST_IN_A_ROW
from chalicelib.kernel.errors import (
    GameError,
    IllegalAction,
    InvalidAction,
    KeyReused,
    MatchRunning,
    NoMatch,
    NotFound,
    NotHost,
    NotSeated,
    RoomFull,
    RoomLocked,
    StaleDecision,
    StaleRequest,
    TooFewPlayers,
    TooManyRequests,
)
from tests.table import Table, person, stored


def lobby(players: int = 3, **settings: Any) -> Table:
    return Table("liars-dice", players, settings)


def playing(players: int = 3) -> Table:
    table = lobby(players)
    table.start()
    return table


def roles(table: Table, viewer: int = 0) -> dict[int, str]:
    members = table.view(viewer)["room"]["members"]
    return {int(each["player_id"][:2]): each["role"] for each in members if not each["bot"]}


HOST_ONLY = [
    pytest.param({"type": "configure", "locked": True}, id="configure"),
    pytest.param({"type": "start", "match": 1}, id="start"),
    pytest.param({"type": "kick", "player_id": person(2)}, id="kick"),
    pytest.param({"type": "promote", "player_id": person(2)}, id="promote"),
    pytest.param({"type": "add-bot"}, id="add a bot"),
    pytest.param({"type": "remove-bot", "player_id": "bot-1"}, id="remove a bot"),
]


@pytest.mark.parametrize("action", HOST_ONLY)
def test_only_the_host_may(action: dict[str, Any]) -> None:
    table = lobby()
    with pytest.raises(NotHost):
        table.act(1, action)


@pytest.mark.parametrize("action", [{"type": "leave"}, {"type": "observe"}, {"type": "start"}])
def test_to_an_outsider_the_room_does_not_exist(action: dict[str, Any]) -> None:
    with pytest.raises(NotFound):
        lobby().act(9, action)


@pytest.mark.parametrize(
    ("action", "pointer"),
    [
        pytest.param(
            {"type": "join", "name": " x"}, "/action/name", id="a name with an edge space"
        ),
        pytest.param({"type": "join", "age": 3}, "/action/age", id="an unknown field"),
        pytest.param({"type": "entropy", "value": "ñ"}, "/action/value", id="entropy not ASCII"),
        pytest.param({"type": "entropy", "value": ""}, "/action/value", id="entropy empty"),
        pytest.param(
            {"type": "entropy", "value": "x" * 65}, "/action/value", id="too much entropy"
        ),
        pytest.param({"type": "entropy"}, "/action/value", id="entropy missing"),
        pytest.param({"type": "start", "match": "1"}, "/action/match", id="a number as a string"),
        pytest.param({"type": "start", "match": True}, "/action/match", id="a truth for a number"),
        pytest.param({"type": "start", "match": 1.0}, "/action/match", id="a float for a number"),
        pytest.param({"type": "configure", "game": "chess"}, "/action/game", id="another game"),
        pytest.param(
            {"type": "configure", "settings": {"bullets": 9}},
            "/action/settings/bullets",
            id="a setting out of bounds",
        ),
        pytest.param(
            {"type": "configure", "settings": {"lives": 3}},
            "/action/settings/lives",
            id="an unknown setting",
        ),
        pytest.param({"type": "dance"}, "/action/type", id="no such action"),
        pytest.param({"type": 3}, "/action/type", id="a type that is a number"),
        pytest.param({}, "/action/type", id="no type"),
        pytest.param({"type": "bid", "quantity": 1, "face": 2}, "/decision", id="no decision"),
        pytest.param({"type": "continue"}, "/decision", id="continue without decision"),
    ],
)
def test_what_is_not_an_action(action: dict[str, Any], pointer: str) -> None:
    table = lobby()
    before = table.room
    with pytest.raises(InvalidAction) as refused:
        table.act(0, action)
    assert [fault.pointer for fault in refused.value.faults] == [pointer]
    assert table.room is before


# --- coming and going --------------------------------------------------------------------------


def test_c_1_whoever_comes_during_a_match_observes_until_the_next() -> None:
    table = playing(2)
    table.act(5, {"type": "join", "name": "Late"})
    view = table.view(5)
    assert (view["you"]["role"], view["you"]["seat"]) == ("observer", None)
    assert view["match"]["private"] is None
    with pytest.raises(NotSeated):
        table.act(5, {"type": "bid", "quantity": 1, "face": 2}, table.room.decision)
    while table.status == "playing":
        table.wait_for_next()
    assert roles(table)[5] == "player"
    table.start()
    assert table.view(5)["you"]["seat"] is not None


def test_a_full_table_seats_the_earliest_and_the_others_observe() -> None:
    table = lobby(9)
    assert list(roles(table).values()) == ["player"] * 6 + ["observer"] * 3
    table.start()
    assert sum(each.seat is not None for each in table.room.members) == 6
    assert {number for number, role in roles(table).items() if role == "player"} == set(range(6))


def test_members_are_bounded() -> None:
    table = lobby(30)
    with pytest.raises(RoomFull):
        table.act(30, {"type": "join"})
    table.act(29, {"type": "leave"})
    table.act(30, {"type": "join"})
    assert table.bytes_stored <= 8_192


def test_who_observes_has_no_seat_until_joining_again() -> None:
    table = lobby(3)
    table.act(1, {"type": "observe"})
    table.start()
    assert table.member(1).seat is None
    while table.status == "playing":
        table.wait_for_next()
    table.act(1, {"type": "join"})
    assert roles(table)[1] == "player"


def test_observing_during_a_match_is_leaving_it() -> None:
    table = playing(3)
    seat = table.seat(1)
    table.act(1, {"type": "observe"})
    assert seat not in table.state.living
    view = table.view(1)
    assert (view["you"]["seat"], view["match"]["private"]) == (None, None)
    with pytest.raises(NotSeated):
        table.act(1, {"type": "challenge"}, table.room.decision)
    row = next(each for each in view["room"]["members"] if each["player_id"] == person(1))
    assert (row["role"], row["seat"], row["left"]) == ("observer", seat, True)


@pytest.mark.parametrize("back_as", ["join", None])
def test_a_seats_rights_end_with_the_seat(back_as: str | None) -> None:
    table = playing(3)
    seat = table.seat(1)
    table.act(1, {"type": "leave"})
    if back_as is None:
        with pytest.raises(NotFound):
            table.act(1, {"type": "challenge"}, table.room.decision)
        assert table.room.member(person(1)) is None
        return
    table.act(1, {"type": "join", "name": "Back"})
    view = table.view(1)
    assert view["you"] == {
        "player_id": person(1),
        "role": "observer",
        "seat": None,
        "host": False,
    }
    assert view["match"]["private"] is None
    assert seat not in table.state.living
    with pytest.raises(NotSeated):
        table.act(1, {"type": "challenge"}, table.room.decision)


def test_a_leaver_stays_on_the_list_while_the_match_shows_the_seat() -> None:
    table = playing(3)
    table.act(2, {"type": "leave"})
    assert [each["left"] for each in table.view(0)["room"]["members"]] == [False, False, True]
    while table.status == "playing":
        table.wait_for_next()
    table.start()
    assert len(table.view(0)["room"]["members"]) == 2


def test_a_locked_room_takes_nobody_new() -> None:
    table = lobby()
    table.act(0, {"type": "configure", "locked": True})
    with pytest.raises(RoomLocked):
        table.act(9, {"type": "join"})
    table.act(1, {"type": "observe"})
    table.act(1, {"type": "join"})  # a member is in already


def test_who_was_kicked_does_not_come_back() -> None:
    table = lobby()
    table.act(0, {"type": "kick", "player_id": person(1)})
    for action in ({"type": "join"}, {"type": "leave"}, {"type": "observe"}):
        with pytest.raises(NotFound):
            table.act(1, action)


@pytest.mark.parametrize("whom", [person(0), person(9), "bot-1"])
def test_only_another_person_who_is_here_is_kicked_or_promoted(whom: str) -> None:
    table = lobby()
    table.act(0, {"type": "add-bot"})
    for kind in ("kick", "promote"):
        with pytest.raises(IllegalAction) as refused:
            table.act(0, {"type": kind, "player_id": whom})
        assert refused.value.reason == "no-such-member"


def test_c_10_nobody_is_kicked_from_a_running_ranked_match() -> None:
    table = lobby(3, ranked=True)
    table.start()
    with pytest.raises(IllegalAction) as refused:
        table.act(0, {"type": "kick", "player_id": person(1)})
    assert refused.value.reason == "ranked-kick"
    table.act(7, {"type": "join"})
    table.act(0, {"type": "kick", "player_id": person(7)})  # an observer may be


# --- the host ----------------------------------------------------------------------------------


def test_c_10_the_host_role_passes_to_the_earliest_joined_active_member() -> None:
    table = lobby(4)
    table.act(1, {"type": "observe"})
    table.act(0, {"type": "leave"})
    assert table.room.host == person(2)


def test_c_10_a_running_match_prefers_who_is_seated() -> None:
    table = playing(3)
    table.act(8, {"type": "join"})
    table.act(1, {"type": "observe"})
    table.act(0, {"type": "leave"})
    assert table.room.host == person(2)
    table.act(2, {"type": "leave"})
    assert table.room.host == person(1)  # nobody plays: the earliest human


def test_c_10_never_a_bot() -> None:
    table = lobby(1)
    table.act(0, {"type": "add-bot"})
    table.act(0, {"type": "leave"})
    assert table.room.host is None
    table.act(3, {"type": "join"})
    assert table.room.host == person(3)


def test_c_10_a_claim_comes_true_after_60_s() -> None:
    table = lobby()
    table.act(1, {"type": "claim-host"})
    due_at = table.now + 60_000
    assert table.view(2)["room"]["claim"] == {"player_id": person(1), "due_at": due_at}
    assert rooms.wake_at(table.room, GAMES) == due_at
    table.wait(59_999)
    assert table.room.host == person(0)
    table.wait(1)
    assert (table.room.host, table.room.claim) == (person(1), None)


@pytest.mark.parametrize("refused", [False, True])
def test_c_10_any_request_of_the_host_ends_a_claim(refused: bool) -> None:
    table = lobby()
    table.act(1, {"type": "claim-host"})
    table.wait(59_999)
    if refused:
        with pytest.raises(NoMatch):
            table.act(0, {"type": "challenge"}, 1)
    else:
        table.act(0, {"type": "entropy", "value": "here"})
    table.wait(1)
    assert (table.room.host, table.room.claim) == (person(0), None)


@pytest.mark.parametrize(
    ("who", "reason"),
    [pytest.param(0, "already-host", id="the host"), pytest.param(2, "claim-open", id="a second")],
)
def test_claims_refused(who: int, reason: str) -> None:
    table = lobby()
    if who:
        table.act(1, {"type": "claim-host"})
    with pytest.raises(IllegalAction) as refused:
        table.act(who, {"type": "claim-host"})
    assert refused.value.reason == reason


def test_a_claim_ends_with_its_claimant() -> None:
    table = lobby()
    table.act(1, {"type": "claim-host"})
    table.act(1, {"type": "leave"})
    table.wait(60_000)
    assert table.room.host == person(0)


def test_promote() -> None:
    table = lobby()
    table.act(0, {"type": "promote", "player_id": person(2)})
    assert table.view(2)["you"]["host"] is True
    with pytest.raises(NotHost):
        table.act(0, {"type": "start", "match": 1})


# --- matches -----------------------------------------------------------------------------------


def test_start_needs_enough_players() -> None:
    table = lobby(1)
    with pytest.raises(TooFewPlayers):
        table.start()
    table.act(0, {"type": "add-bot"})
    table.start()
    assert table.status == "playing"


@pytest.mark.parametrize("number", [0, 2, -1])
def test_start_names_the_next_match(number: int) -> None:
    with pytest.raises(StaleDecision):
        lobby().act(0, {"type": "start", "match": number})


def test_one_match_at_a_time() -> None:
    table = playing()
    for action in (
        {"type": "start", "match": 1},
        {"type": "start", "match": 2},
        {"type": "configure", "settings": {"bullets": 2}},
        {"type": "configure", "game": "liars-dice"},
        {"type": "add-bot"},
    ):
        with pytest.raises(MatchRunning):
            table.act(0, action)
    table.act(0, {"type": "configure", "visibility": "public", "locked": True})
    assert (table.room.visibility, table.room.locked) == ("public", True)


def test_settings_are_changed_one_by_one_and_kept_for_the_rematch() -> None:
    table = lobby()
    table.act(0, {"type": "configure", "settings": {"bullets": 3}})
    table.act(0, {"type": "configure", "settings": {"exact": False}})
    assert table.room.settings == {
        "ones_wild": True,
        "exact": False,
        "bullets": 3,
        "turn_seconds": 60,
        "ranked": False,
    }
    table.start()
    assert table.state.settings.bullets == 3


@pytest.mark.parametrize("bot_first", [True, False])
def test_ld_11_no_bots_at_a_ranked_table(bot_first: bool) -> None:
    table = lobby()
    actions: list[dict[str, Any]] = [
        {"type": "add-bot"},
        {"type": "configure", "settings": {"ranked": True}},
    ]
    first, second = actions if bot_first else reversed(actions)
    table.act(0, first)
    with pytest.raises(IllegalAction) as refused:
        table.act(0, second)
    assert refused.value.reason == "ranked-needs-people"


def test_bots_fill_the_table_and_leave_it() -> None:
    table = lobby(4)
    table.act(0, {"type": "add-bot"})
    table.act(0, {"type": "add-bot"})
    with pytest.raises(RoomFull):
        table.act(0, {"type": "add-bot"})
    bots = [each for each in table.view(0)["room"]["members"] if each["bot"]]
    assert len({each["name"] for each in bots}) == 2
    table.act(0, {"type": "remove-bot", "player_id": bots[0]["player_id"]})
    with pytest.raises(IllegalAction) as refused:
        table.act(0, {"type": "remove-bot", "player_id": bots[0]["player_id"]})
    assert refused.value.reason == "no-such-bot"


def test_a_rematch_in_the_same_room() -> None:
    table = playing(2)
    first = table.view(0)["match"]
    with pytest.raises(GameError):
        table.act(0, {"type": "start", "match": 2})
    while table.status == "playing":
        table.wait_for_next()
    table.start(fresh="another")
    second = table.view(0)["match"]
    assert (first["number"], second["number"]) == (1, 2)
    assert second["decision"] > first["decision"]
    commitments = {each["public"]["fairness"]["master_commitment"] for each in (first, second)}
    assert len(commitments) == 2


def test_entropy_is_frozen_at_start_and_asked_anew_for_the_next_match() -> None:
    table = lobby(3)
    table.act(1, {"type": "entropy", "value": "mine"})
    before = table.view(0)["room"]["next_commitment"]
    table.start()
    fairness = table.view(0)["match"]["public"]["fairness"]
    assert fairness["master_commitment"] == before
    assert fairness["entropy"] == [
        {"player_id": person(0), "value": ""},
        {"player_id": person(1), "value": "mine"},
        {"player_id": person(2), "value": ""},
    ]
    table.act(2, {"type": "entropy", "value": "later"})
    assert table.view(0)["match"]["public"]["fairness"]["entropy"] == fairness["entropy"]
    assert table.view(0)["room"]["next_commitment"] != before


def test_c_7_seats_and_starter_come_from_the_seed_and_the_players_entropy() -> None:
    def seats(master: str, entropy: str) -> tuple[int, ...]:
        table = Table("liars-dice", 6, master=master)
        table.act(1, {"type": "entropy", "value": entropy})
        table.start()
        return (*(table.seat(number) for number in range(6)), table.state.turn)

    assert seats("a", "x") == seats("a", "x")
    assert len({seats("a", "x"), seats("b", "x"), seats("a", "y"), seats("b", "y")}) == 4


# --- once, and in order ------------------------------------------------------------------------


def test_c_5_the_same_request_again_returns_the_first_answer() -> None:
    table = lobby()
    first = table.act(1, {"type": "entropy", "value": "x"}, key="k")
    before = table.room
    assert table.act(1, {"type": "entropy", "value": "x"}, key="k") == first
    assert table.room is before


def test_c_5_the_same_key_with_another_body_is_refused() -> None:
    table = lobby()
    table.act(1, {"type": "entropy", "value": "x"}, key="k")
    with pytest.raises(KeyReused):
        table.act(1, {"type": "entropy", "value": "y"}, key="k")
    table.act(2, {"type": "entropy", "value": "y"}, key="k")  # keys are each player's own


def test_a_refusal_does_not_consume_the_key() -> None:
    table = lobby(1)
    with pytest.raises(TooFewPlayers):
        table.act(0, {"type": "start", "match": 1}, key="k")
    table.act(1, {"type": "join"})
    table.act(0, {"type": "start", "match": 1}, key="k")
    assert table.status == "playing"


def test_a_retried_leave_gives_its_receipt() -> None:
    table = lobby()
    first = table.act(1, {"type": "leave"}, key="bye")
    assert table.act(1, {"type": "leave"}, key="bye") == first


@pytest.mark.parametrize(
    "later", [pytest.param(0, id="its receipt is known"), pytest.param(3, id="it is not any more")]
)
def test_a_late_duplicate_of_an_old_leave_cannot_undo_a_rejoin(later: int) -> None:
    table = lobby()
    first = table.act(1, {"type": "leave"}, key="bye")
    left_at = table.now
    table.wait(5_000)
    table.act(1, {"type": "join"})
    for number in range(later):
        table.act(1, {"type": "entropy", "value": str(number)})
    table.now = left_at
    if later:
        with pytest.raises(StaleRequest):
            table.act(1, {"type": "leave"}, key="bye")
    else:
        assert table.act(1, {"type": "leave"}, key="bye") == first
    assert table.room.member(person(1)) is not None


def test_a_late_duplicate_of_an_old_join_cannot_undo_a_leave() -> None:
    table = lobby(1)
    table.act(1, {"type": "join"}, key="in")
    joined_at = table.now
    table.wait(5_000)
    for number in range(3):
        table.act(1, {"type": "entropy", "value": str(number)})
    table.act(1, {"type": "leave"})
    table.now = joined_at
    with pytest.raises(StaleRequest):
        table.act(1, {"type": "join"}, key="in")


@pytest.mark.parametrize("players", [1, 2])
def test_a_room_is_forgotten(players: int) -> None:
    table = lobby(players)
    hours = 1 if players == 1 else 24
    assert rooms.expires_at(table.room) == table.now // 1_000 + hours * 3_600


def test_a_room_of_the_worst_people_fits() -> None:
    table = Table("liars-dice", 6)
    for number in range(6):
        for value in range(3):
            table.act(number, {"type": "entropy", "value": f"{value}" * 64})
    table.start()
    for number in range(6):
        table.act(number, {"type": "entropy", "value": "~" * 64})
    assert table.bytes_stored <= 3_072
    assert stored(table.room) == table.room


def test_who_asks_too_much_in_a_row_rests_but_may_always_leave() -> None:
    table = lobby()
    for number in range(MOST_IN_A_ROW - 1):  # joining was the first
        table.act(1, {"type": "entropy", "value": str(number)})
    with pytest.raises(TooManyRequests) as refused:
        table.act(1, {"type": "entropy", "value": "more"})
    assert refused.value.retry_after_ms == 60_000
    table.act(0, {"type": "start", "match": 1})
    table.act(1, {"type": "leave"})
    assert table.room.member(person(1)) is None


def test_a_fast_host_is_not_kept_from_starting_and_going_on() -> None:
    table = lobby(turn_seconds=15)
    for number in range(MOST_IN_A_ROW):
        table.act(0, {"type": "entropy", "value": str(number)})
    with pytest.raises(TooManyRequests):
        table.act(0, {"type": "add-bot"})
    table.start()
    table.wait(15_000)  # a turn lapses
    table.wait(3_000)
    table.act(0, {"type": "continue"}, table.room.decision)
    assert table.phase == "turn"
