"""What the terminal client shows: every phase of every game as a table of whole screens, and real
views of whole matches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from infra.local.play import screen
from infra.local.play.offers import Setting, offers
from infra.local.play.text import Section, clock, columns, fold, fresh, printable
from infra.local.play.words import LOCALES, Words
from tests.play.views import CASES, DILEMMA, NOW, dice, even, lobby, split
from tests.world import World

FOLDER = Path(__file__).parent
SOURCES = sorted((FOLDER.parents[1] / "infra/local/play").glob("*.py"))
WIDTH = 80
OFFERS = {
    locale: offers(World().send("GET", "/v1/games", {"Accept-Language": locale}).body["items"])
    for locale in LOCALES
}


def lines(view: Any, locale: str = "en") -> list[str]:
    found: list[str] = []
    for section in screen.sections(view, Words(locale), OFFERS[locale]):
        for text in (section.title, *section.lines):
            found += fold(text, WIDTH)
    return found


def shown(view: Any, locale: str) -> str:
    """The whole screen, and below it the status line 17.5 s into the phase."""
    status = screen.status(view, NOW + 17_500, Words(locale))
    return "\n".join([*lines(view, locale), f"[{status}]"])


def table(locale: str) -> dict[str, str]:
    text = (FOLDER / f"screens.{locale}.txt").read_text("utf-8")
    parts = (part.partition("\n") for part in text.removeprefix("## ").split("\n## "))
    return {name: body.strip("\n") for name, _, body in parts}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", CASES)
def test_every_phase_looks_as_in_the_table(name: str, locale: str) -> None:
    assert shown(CASES[name], locale) == table(locale)[name]


@pytest.mark.parametrize("locale", LOCALES)
def test_the_table_has_nothing_else(locale: str) -> None:
    assert list(table(locale)) == list(CASES)


# --- real matches --------------------------------------------------------------------------------


def dice_move(match: Any) -> dict[str, Any]:
    bids = match["public"]["bids"]
    return {"type": "challenge"} if bids else {"type": "bid", "quantity": 2, "face": 5}


def even_move(match: Any) -> dict[str, Any]:
    if match["phase"] == "author":
        return {"type": "publish", "card": match["private"]["cards"][1]["card"], "twist": 2}
    return {"type": "vote", "side": "a"}


def crossed_move(match: Any) -> dict[str, Any]:
    if match["phase"] == "study":
        return {"type": "ready"}
    if match["phase"] == "encode":
        own = [each["trait"] for each in match["private"]["traits"]]
        return {"type": "signal", "traits": own[:2]}
    return {"type": "ballot", "place": "p0", "signal": match["public"]["signals"][0]["signal"]}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("game", "bots", "move", "phases"),
    [
        ("liars-dice", 2, dice_move, {"turn", "reveal", "over"}),
        ("almost-even", 2, even_move, {"author", "vote", "reveal", "over"}),
        (
            "crossed-coordinates",
            3,
            crossed_move,
            {"study", "encode", "council", "ballot", "reveal", "over"},
        ),
    ],
)
def test_a_real_match_is_shown_to_its_end(
    game: str, bots: int, move: Callable[[Any], dict[str, Any]], phases: set[str], locale: str
) -> None:
    world = World()
    ana, words, seen = world.person("Ana"), Words(locale), set()
    code = room(ana, game)
    for _ in range(bots):
        assert ana.act(code, "add-bot").status == 200
    view = ana.act(code, "start", match=1, how={"locale": locale}).view
    while view["match"]["outcome"] is None:
        match = view["match"]
        seen.add(match["phase"])
        assert max(map(len, lines(view, locale))) <= WIDTH
        assert len(screen.status(view, view["server_now"], words)) <= WIDTH
        assert "?" not in screen.status(view, view["server_now"], words)
        if match["your_move"]:
            action = move(match)
            ana.act(code, action.pop("type"), match["decision"], **action)
        world.clock.wait(1)
        view = ana.read(code, locale=locale).body
    told = "\n".join(lines(view, locale))
    assert seen | {"over"} == phases
    if game == "liars-dice":
        assert Words(locale).text("ld.checked")[:20] in told
    if game == "crossed-coordinates":
        assert re.search(r"^ +Round 4 .*\n +Total .* 1600$", told, re.MULTILINE) or locale == "es"


def room(person: Any, game: str) -> str:
    body = {"game": game, "visibility": "private", "name": person.name}
    return str(person.send("POST", "/v1/rooms", body).body["room"]["code"])


def test_the_offers_are_those_of_the_server() -> None:
    found = offers(World().send("GET", "/v1/games").body["items"])
    assert set(found) == set(screen.GAMES)
    assert found["liars-dice"].settings["turn_seconds"] == Setting("Segundos por turno", "integer")


# --- what is not known ----------------------------------------------------------------------------


def test_a_game_that_this_client_does_not_know_is_named() -> None:
    view = dice()
    view["match"]["game"] = view["room"]["game"] = "charades"
    assert "This client does not know charades." in lines(view)
    assert screen.status(view, NOW, Words("en")).endswith("| round 2 | charades | CDEFGH")


def test_a_phase_and_a_reveal_that_it_does_not_know_are_shown_by_their_names() -> None:
    view = dice("reveal", reveal=CASES["dice: the bidder left"]["match"]["public"]["reveal"])
    view["match"]["phase"] = "encore"
    view["match"]["public"]["reveal"] |= {"kind": "earthquake", "caller": None}
    assert "earthquake" in lines(view)
    assert "| encore |" in screen.status(view, NOW, Words("en"))


# --- text ----------------------------------------------------------------------------------------


def test_only_what_has_changed_is_shown_again() -> None:
    before = [Section("a", "1"), Section("b", "2", ("x",)), Section("ask", "go", decision=1)]
    after = [Section("a", "1"), Section("b", "2", ("y",)), Section("ask", "go", decision=2)]
    assert fresh(before, after) == after[1:]
    assert fresh(after, before[:1]) == []


def test_a_new_roll_is_news_though_it_shows_the_same() -> None:
    first, second = dice(), dice()
    second["match"]["public"]["round"] += 1
    words = Words("en")
    news = fresh(screen.sections(first, words, {}), screen.sections(second, words, {}))
    assert "Your dice: 1 2 5 5 6" in [each.title for each in news]


def test_the_points_are_news_at_every_reveal_and_only_there() -> None:
    vote = even("vote", author=1, dilemma=DILEMMA)
    reveal = even("reveal", author=1, dilemma=DILEMMA, reveal=split([0, 2], [], points=0))
    after = even("author", author=2)
    after["match"]["public"]["round"] += 1
    words = Words("en")
    seen = [screen.sections(view, words, {}) for view in (vote, reveal, after)]
    news = [{each.key for each in fresh(*pair)} for pair in pairwise(seen)]
    assert ["scores" in each for each in news] == [True, False]


def test_nothing_that_steers_a_terminal_gets_through() -> None:
    view = lobby()
    view["room"]["members"][1]["name"] = "\x1b[2J\u202eBo\x07"
    assert not re.search("[\x00-\x1f\x7f\u202e]", "".join(lines(view)))
    assert printable("Ñandú \N{FOX FACE}\u200d") == "Ñandú \N{FOX FACE}\u200d"


@pytest.mark.parametrize(
    ("text", "width", "wanted"),
    [
        ("short   as it is", 20, ["short   as it is"]),
        ("one two three four", 9, ["one two", "  three", "  four"]),
        ("  in one two", 8, ["  in one", "    two"]),
        ("unbreakablyso indeed", 8, ["unbreakablyso", "  indeed"]),
        ("日本語 日本語", 8, ["日本語", "  日本語"]),
        ("", 8, [""]),
    ],
)
def test_lines_break_between_words(text: str, width: int, wanted: list[str]) -> None:
    assert fold(text, width) == wanted


def test_columns_are_as_wide_as_their_widest_cell_on_the_screen() -> None:
    assert columns([["日本", "x"], ["a", "y"], ["b"]]) == ["日本  x", "a     y", "b"]


@pytest.mark.parametrize(
    ("milliseconds", "wanted"), [(61_001, "1:02"), (59_999, "1:00"), (1, "0:01"), (-5, "0:00")]
)
def test_a_countdown_ends_when_the_time_does(milliseconds: int, wanted: str) -> None:
    assert clock(milliseconds) == wanted


# --- the words ------------------------------------------------------------------------------------


def shape(words: Any) -> Any:
    """Keys and gaps, whatever the language."""
    if isinstance(words, dict):
        return {key: shape(value) for key, value in words.items()}
    if isinstance(words, list):
        return "names"
    return sorted(gap for _, gap, _, _ in Formatter().parse(words) if gap)


def test_both_languages_say_the_same_things() -> None:
    english, spanish = Words("en"), Words("es")
    assert shape(english.texts) == shape(spanish.texts)
    assert list(english.commands) == list(spanish.commands)


@pytest.mark.parametrize("locale", LOCALES)
def test_no_word_stands_for_two_commands(locale: str) -> None:
    words = Words(locale)
    names = [name for verb, each in words.commands.items() for name in {verb, *each["also"]}]
    assert len(names) == len(set(names))
    for verb, each in words.commands.items():
        typed = re.sub(r"^\[(\S+)\]", r"\1", each["usage"]).split()[0]
        assert words.verb(typed) == verb, "the usage shows how it is typed"


def test_spanish_addresses_nobody() -> None:
    text = json.dumps(Words("es").texts | Words("es").commands, ensure_ascii=False).lower()
    assert not re.search(r"\b(tú|vos|usted|ustedes|vosotros|tu|tus|te|puedes|podés|tienes)\b", text)


def test_every_text_that_is_asked_for_exists_and_every_one_is_asked_for() -> None:
    source = "\n".join(path.read_text("utf-8") for path in SOURCES)
    texts = Words("en").texts
    asked = set(re.findall(r'(?:words\.text|words\.count|_say)\(\s*f?"([^"{}]+)"', source))
    assert asked <= set(texts)
    told = set(re.findall(r"""["']([a-z][a-z0-9.-]+)["']""", source))
    named = (
        "rooms.",
        "game.",
        "visibility.",
        "role.",
        "phase.",
        "kind.",
        "field.",
        "ld.kind.",
        "ld.face-",
    )
    families = (*named, "cc.ask-", "cc.column.", "ask-", "progress.")
    assert [key for key in texts if key not in told and not key.startswith(families)] == []
