"""The demo plays a whole match of each game against a server of its own, and verifies it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from chalicelib.games import GAMES
from infra.local import verify
from infra.local.demo import almost_even, crossed_coordinates
from infra.local.demo.voice import catalogue

ROOT = Path(__file__).parents[1]
NAMES = ("common", "liars-dice", "almost-even", "crossed-coordinates")
WIDTH = 100


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "infra.local.demo"],
        cwd=ROOT,
        env={**os.environ, "URL": "", "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def played(**environment: str) -> list[str]:
    """The lines of a match that ended well."""
    done = run(SPEED="40", **environment)
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= WIDTH
    return lines


def test_liars_dice_is_told_to_the_end_and_every_die_is_checked(tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    lines = played(GAME="liars-dice", LOCALE="en", RECORD=str(record))
    text = "\n".join(lines)
    assert re.search(r"Ada opens room [2-9A-Z]{6}\.", text)
    assert re.search(r"\n  \w+: \S+ \w+s\.\n", text), "a bid in words"
    assert "  Cups up:" in lines
    assert "bang, dead" in text
    standings = lines[lines.index("Standings") + 1 :][:6]
    assert all(re.match(r"  [1-6]\. \w+$", line) for line in standings)
    assert "Match verified: everything that could be worked out again is as published." in lines
    checks = verify.check(verify.read(json.loads(record.read_text("utf-8"))))
    assert verify.verified(checks)
    assert {each.what for each in checks} >= {"noted", "master", "root", "dice", "chambers"}


@pytest.mark.skipif("almost-even" not in GAMES, reason="the game is not registered yet")
def test_almost_even_is_told_to_the_end_and_scored_again() -> None:
    lines = played(GAME="almost-even", LOCALE="es")
    text = "\n".join(lines)
    assert len(re.findall(r"^Ronda \d de 7\.", text, re.MULTILINE)) == 7
    assert "se vota un dilema de reserva" in text
    assert "Clasificación" in lines
    assert any(line.startswith("Partida verificada") for line in lines)


@pytest.mark.skipif("crossed-coordinates" not in GAMES, reason="the game is not registered yet")
def test_crossed_coordinates_is_told_to_the_end_and_names_nobody() -> None:
    lines = played(GAME="crossed-coordinates", LOCALE="en")
    text = "\n".join(lines)
    assert len(re.findall(r"^Round \d of 4\.", text, re.MULTILINE)) == 4
    assert re.search(r"^The table's score: \d+ of 1600\.$", text, re.MULTILINE)
    assert any(line.startswith("Match verified") for line in lines)
    after = text[text.index("Round 1 of 4.") :]
    names = catalogue("common", "en")["names"]
    assert [name for name in names if re.search(rf"\b{name}\b", after)] == []


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"GAME": "chess"}, id="a game that there is not"),
        pytest.param({"LOCALE": "fr"}, id="a language that there is not"),
        pytest.param({"SPEED": "fast"}, id="a speed that is no number"),
        pytest.param({"URL": "http://127.0.0.1:9"}, id="nobody listens there"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(environment: dict[str, str]) -> None:
    done = run(**environment)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


# --- the words -----------------------------------------------------------------------------------


def shape(words: Any) -> Any:
    """Keys and gaps of a catalogue, whatever the language."""
    if isinstance(words, dict):
        return {key: shape(value) for key, value in words.items()}
    if isinstance(words, list):
        return [shape(each) for each in words]
    gaps = (gap for _, gap, _, _ in Formatter().parse(words) if gap)
    return sorted(gap.removesuffix("_in_full") for gap in gaps)  # Spanish counts with the noun


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_say_the_same_things(name: str) -> None:
    assert shape(catalogue(name, "es")) == shape(catalogue(name, "en"))


@pytest.mark.parametrize("locale", ["en", "es"])
@pytest.mark.parametrize("name", NAMES[1:])
def test_the_rules_are_two_lines_that_fit(name: str, locale: str) -> None:
    rules = catalogue(name, locale)["rules"]
    assert len(rules) == 2
    assert max(map(len, rules)) <= WIDTH


@pytest.mark.parametrize("locale", ["en", "es"])
def test_entropy_is_printable_ascii(locale: str) -> None:
    assert all(
        value.isascii() and value.isprintable() for value in catalogue("common", locale)["entropy"]
    )


# --- the scores that the demo works out again ----------------------------------------------------


@pytest.mark.parametrize(
    ("votes", "row"),
    [(2, "0 500"), (5, "0 300 500"), (6, "0 150 300 500"), (11, "0 0 0 150 300 500")],
)
def test_almost_even_by_the_table_of_the_rules(votes: int, row: str) -> None:
    wanted = list(map(int, row.split()))
    assert [almost_even.points(votes, minority) for minority in range(len(wanted))] == wanted


@pytest.mark.parametrize(
    ("place_votes", "signal_votes", "wanted"),
    [
        ({"p0": 6, "p1": 2}, {"s01": 3, "s02": 2}, (200, 100, 100)),
        ({"p0": 5, "p1": 3}, {"s01": 3, "s02": 3}, (200, 0, 0)),
        ({"p0": 4, "p1": 4}, {"s01": 2, "s02": 1}, (0, 0, 0)),
        ({"p0": 2, "p1": 6}, {"s01": 1, "s02": 5}, (0, 0, 0)),
    ],
)
def test_crossed_coordinates_by_the_table_for_eight(
    place_votes: dict[str, int], signal_votes: dict[str, int], wanted: tuple[int, int, int]
) -> None:
    reveal = {
        "target": "p0",
        "distorted_signals": ["s01"],
        "place_votes": place_votes,
        "signal_votes": signal_votes,
    }
    assert crossed_coordinates.scored(8, reveal) == wanted
