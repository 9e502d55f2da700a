"""What is typed at the terminal client, and the request that it becomes."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.play.commands import Local, Post, Where, Wrong, available, parse
from infra.local.play.offers import Offer, Setting
from infra.local.play.words import Words
from tests.play.views import (
    BIDS,
    CARDS,
    CASES,
    DILEMMA,
    SIGNALS,
    crossed,
    dice,
    even,
    host_watches,
    lobby,
    watching,
)

OFFERS = {
    "liars-dice": Offer(
        "Liar's dice",
        {
            "exact": Setting("Exact", "boolean"),
            "turn_seconds": Setting("Seconds a turn", "integer"),
        },
    ),
    "almost-even": Offer("Casi por igual", {}),
    "crossed-coordinates": Offer("Crossed coordinates", {}),
}
PATH = "/v1/rooms/CDEFGH/actions"


def where(view: Any = None, *, locale: str = "en", name: str = "Ada") -> Where:
    return Where(Words(locale), OFFERS, view, "CDEFGH" if view else "", name)


def action(line: str, view: Any, locale: str = "en") -> Any:
    """The action that the line becomes; None if it becomes none."""
    found = parse(line, where(view, locale=locale))
    if not isinstance(found, Post):
        return None
    assert found.path == PATH
    return found.body["action"]


BID = {"type": "bid", "quantity": 3, "face": 5}
HOLD = dice(bids=BIDS, move=True)
AUTHOR = even("author", private=CARDS, move=True)
VOTER = even("vote", author=1, dilemma=DILEMMA, private={"vote": None}, move=True)
SIGNAL = crossed("encode", move=True)
BALLOT = crossed("ballot", signals=SIGNALS, move=True)
MUTE = crossed("ballot", move=True)


@pytest.mark.parametrize(
    ("view", "line", "wanted"),
    [
        (HOLD, "3 5", BID),
        (HOLD, "  bid 3 5 ", BID),
        (HOLD, "liar", {"type": "challenge"}),
        (HOLD, "exact", {"type": "exact"}),
        (HOLD, "3", None),
        (HOLD, "3 7", None),
        (HOLD, "0 5", None),
        (HOLD, "3 five", None),
        (HOLD, "a", None),
        (HOLD, "ready", None),
        (AUTHOR, "5", {"type": "publish", "card": "card-2", "twist": 1}),
        (AUTHOR, "publish 1", {"type": "publish", "card": "card-1", "twist": 0}),
        (AUTHOR, "7", None),
        (VOTER, "A", {"type": "vote", "side": "a"}),
        (VOTER, "vote b", {"type": "vote", "side": "b"}),
        (VOTER, "c", None),
        (VOTER, "1", None),
        (crossed("study", move=True), "ready", {"type": "ready"}),
        (crossed("study", move=True), "1 2", None),
        (SIGNAL, "1 3", {"type": "signal", "traits": ["t00", "t02"]}),
        (SIGNAL, "signal 4 2", {"type": "signal", "traits": ["t03", "t01"]}),
        (SIGNAL, "1 5", None),
        (SIGNAL, "1 2 3", None),
        (BALLOT, "2 1", {"type": "ballot", "place": "p1", "signal": "s01"}),
        (BALLOT, "ballot 4 2", {"type": "ballot", "place": "p3", "signal": "s02"}),
        (BALLOT, "2", None),
        (BALLOT, "2 3", None),
        (MUTE, "2", {"type": "ballot", "place": "p1"}),
        (MUTE, "2 1", None),
        (crossed("council", signals=SIGNALS), "2 1", None),
    ],
)
def test_a_move_is_made_in_few_letters(view: Any, line: str, wanted: Any) -> None:
    assert action(line, view) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("start", {"type": "start", "match": 1}),
        ("bot", {"type": "add-bot"}),
        ("set turn_seconds 30", {"type": "configure", "settings": {"turn_seconds": 30}}),
        ("set exact no", {"type": "configure", "settings": {"exact": False}}),
        ("set seconds 30", {"type": "configure", "settings": {"turn_seconds": 30}}),
        ("set seconds a turn 30", {"type": "configure", "settings": {"turn_seconds": 30}}),
        ("set exact", None),
        ("set exact maybe", None),
        ("set turn_seconds ten", None),
        ("set colour red", None),
        ("game almost", {"type": "configure", "game": "almost-even"}),
        ("game casi", {"type": "configure", "game": "almost-even"}),
        ("game chess", None),
        ("public", {"type": "configure", "visibility": "public"}),
        ("lock", {"type": "configure", "locked": True}),
        ("unbot aceituna", {"type": "remove-bot", "player_id": "id-2"}),
        ("unbot Bruno", None),
        ("kick 2", {"type": "kick", "player_id": "id-1"}),
        ("kick 3", None),
        ("kick Darío", None),
        ("promote BRUNO", {"type": "promote", "player_id": "id-1"}),
        ("entropy rain on the roof", {"type": "entropy", "value": "rain on the roof"}),
        ("entropy", None),
        ("join", {"type": "join"}),
        ("claim", {"type": "claim-host"}),
        ("leave", {"type": "leave"}),
        ("leave now", None),
        ("start now", None),
        ("bot Ada", None),
        ("3 5", None),
        ("liar", None),
    ],
)
def test_what_is_asked_of_the_room(line: str, wanted: Any) -> None:
    view = CASES["lobby: a bot, an observer, somebody who left, and a claim"]
    assert action(line, view) == wanted


@pytest.mark.parametrize(
    ("line", "path", "body"),
    [
        ("open liars", "/v1/rooms", {"game": "liars-dice", "visibility": "private"}),
        (
            "open crossed coordinates public",
            "/v1/rooms",
            {"game": "crossed-coordinates", "visibility": "public"},
        ),
        ("join cdefgh", PATH, {"action": {"type": "join"}}),
    ],
)
def test_into_a_room_with_a_name_or_without(line: str, path: str, body: dict[str, Any]) -> None:
    assert parse(line, where(name="")) == Post(path, body)
    named = parse(line, where(name="Ñandú"))
    assert isinstance(named, Post)
    assert "Ñandú" in str(named.body)


@pytest.mark.parametrize(
    "line",
    [
        *("open", "open chess", "join", "join ../me", "3 5", "bot", "xyzzy"),
        *("rules chess", "rooms all", "look there", "quit now"),
    ],
)
def test_outside_of_a_room_little_can_be_done(line: str) -> None:
    assert isinstance(parse(line, where()), Wrong)


def test_a_move_carries_the_decision_that_is_on_the_screen_and_so_does_continue() -> None:
    for line in ("liar", "continue"):
        found = parse(line, where(HOLD))
        assert isinstance(found, Post)
        assert found.body["decision"] == 7
    found = parse("kick Bruno", where(HOLD))
    assert isinstance(found, Post)
    assert "decision" not in found.body


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("mentira", {"type": "challenge"}),
        ("MENTIRA", {"type": "challenge"}),
        ("liar", None),
        ("challenge", {"type": "challenge"}),
        ("apuesta 3 5", BID),
        ("levantarse", {"type": "observe"}),
        ("abandonar", {"type": "leave"}),
        ("mirar", None),
        ("salir", None),
        ("cerrar", None),
    ],
)
def test_spanish_words_and_the_api_s_own(line: str, wanted: Any) -> None:
    assert action(line, HOLD, "es") == wanted


def test_accents_may_be_left_out() -> None:
    found = parse("abrir casi publica", where(locale="es", name=""))
    assert found == Post("/v1/rooms", {"game": "almost-even", "visibility": "public"})
    assert action("senal 1 2", SIGNAL, "es") == {"type": "signal", "traits": ["t00", "t01"]}


def test_an_empty_line_looks_again() -> None:
    assert parse("  ", where(HOLD)) == Local("look", "")
    assert parse("rules almost", where()) == Local("rules", "almost")


@pytest.mark.parametrize("view", [None, *CASES.values()])
def test_the_help_fits_a_screen(view: Any) -> None:
    found = available(where(view))
    assert len(found) == len(set(found))
    assert len(found) < 24


def test_the_help_is_for_who_asks_and_when() -> None:
    assert {"start", "set", "add-bot"} <= set(available(where(lobby())))
    assert not {"start", "bid", "continue"} & set(available(where(lobby(me=1))))
    assert {"bid", "challenge", "continue"} <= set(available(where(HOLD)))
    assert not {"start", "add-bot", "vote"} & set(available(where(HOLD)))


@pytest.mark.parametrize("view", [watching(), dice(dead={0: 3}, turn=1)], ids=["late", "dead"])
def test_who_is_not_in_the_match_is_offered_no_move(view: Any) -> None:
    assert not {"bid", "challenge", "exact"} & set(available(where(view)))


@pytest.mark.parametrize(
    ("line", "view", "asked"),
    [
        ("observe", HOLD, "dying on the spot"),
        ("leave", HOLD, "dying on the spot"),
        ("leave", VOTER, "given up"),
        ("observe", SIGNAL, "given up"),
        ("leave", dice(dead={0: 3}, turn=1), ""),
        ("observe", lobby(), ""),
        ("leave", CASES["dice: over"], ""),
        ("liar", HOLD, ""),
        ("open almost", lobby(), "stays in room CDEFGH"),
        ("join ABCDEF", HOLD, "stays in room CDEFGH"),
        ("join cdefgh", HOLD, ""),
        ("open almost", None, ""),
    ],
)
def test_what_costs_more_than_it_seems_is_asked_first(line: str, view: Any, asked: str) -> None:
    found = parse(line, where(view))
    assert isinstance(found, Post)
    assert asked in found.warning
    assert bool(found.warning) == bool(asked)


def test_the_host_who_watches_can_be_called_by_number_and_by_name() -> None:
    view = host_watches(over=True)
    view["you"] |= {"host": True, "player_id": "id-1"}
    for line in ("promote Ada", "promote 1"):
        assert action(line, view) == {"type": "promote", "player_id": "id-0"}
