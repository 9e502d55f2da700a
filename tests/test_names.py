"""Names as people send them: shown as they are written, or refused; never mended."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scene import check_problem
from tests.world import DiceRoom, World

FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}\u200d\N{BOY}"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        pytest.param("Bea", "Bea", id="letters"),
        pytest.param("Ñandú 7", "Ñandú 7", id="a tilde, an accent, a digit"),
        pytest.param("Jose\u0301", "José", id="an accent of its own is joined to its letter"),
        pytest.param("李小龙", "李小龙", id="Chinese"),
        pytest.param("نور", "نور", id="Arabic"),
        pytest.param("हिन्दी", "हिन्दी", id="Devanagari with its marks"),
        pytest.param("\N{FOX FACE}", "\N{FOX FACE}", id="an emoji"),
        pytest.param(f"{FAMILY} Gil", f"{FAMILY} Gil", id="a family joined by joiners"),
        pytest.param("\u2764\ufe0f", "\u2764\ufe0f", id="a heart in colour"),
        pytest.param("\U0001f1ea\U0001f1f8", "\U0001f1ea\U0001f1f8", id="a flag"),
        pytest.param("x" * 20, "x" * 20, id="20 letters"),
        pytest.param("</script>", "</script>", id="a tag, which is the client's to escape"),
    ],
)
def test_a_name_is_shown_as_it_is_written(world: World, name: str, shown: str) -> None:
    room = DiceRoom(world, 1)
    reply = world.person("Newcomer").act(room.code, "join", name=name)
    assert reply.status == 200, reply.text
    assert reply.view["room"]["members"][-1]["name"] == shown
    created = world.person("Newcomer").send(
        "POST", "/v1/rooms", {"game": "liars-dice", "visibility": "private", "name": name}
    )
    assert created.view["room"]["members"][0]["name"] == shown


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("", id="nothing"),
        pytest.param(" ", id="a blank"),
        pytest.param(" Ana", id="a blank before"),
        pytest.param("Ana\u00a0", id="a no-break space after"),
        pytest.param("A\u2003a", id="an em space"),
        pytest.param("x" * 21, id="21 letters"),
        pytest.param("x" * 5_000, id="5,000 letters"),
        pytest.param("\N{FOX FACE}" * 17, id="68 bytes"),
        pytest.param("Ana\u200f", id="a right-to-left mark"),
        pytest.param("\u202eanA", id="a right-to-left override"),
        pytest.param("A\u2066na", id="an isolate"),
        pytest.param("A\u200bna", id="a zero-width space"),
        pytest.param("A\u200cna", id="a zero-width non-joiner"),
        pytest.param("A\u200dna", id="a joiner between letters"),
        pytest.param("\ufeffAna", id="a byte order mark"),
        pytest.param("A\u00adna", id="a soft hyphen"),
        pytest.param("A\u2060na", id="a word joiner"),
        pytest.param("Ana\ufe0f", id="an emoji's selector after a letter"),
        pytest.param("Ana\u3164", id="a Hangul filler, which nobody sees"),
        pytest.param("\u115f", id="nothing but a filler"),
        pytest.param("\u2800", id="a Braille pattern without dots"),
        pytest.param("A\u034fna", id="a grapheme joiner"),
        pytest.param("A\U000e0041na", id="a tag"),
        pytest.param("A\nna", id="a line break"),
        pytest.param("A\u2028na", id="a line separator"),
        pytest.param("A\x00na", id="a zero"),
        pytest.param("A\x7fna", id="a delete"),
        pytest.param("\ue000", id="a private character"),
        pytest.param("\U0010ffff", id="no character"),
        pytest.param("a" + "\u0301" * 4, id="an accent on an accent on an accent"),
        pytest.param(7, id="a number"),
        pytest.param(["Ana"], id="a list"),
    ],
)
def test_a_name_that_is_none_is_refused_and_not_mended(world: World, name: Any) -> None:
    room = DiceRoom(world, 1)
    before = world.stored()
    reply = world.person("Newcomer").act(room.code, "join", name=name)
    assert reply.code == "invalid-action"
    assert [error["pointer"] for error in reply.body["errors"]] == ["/action/name"]
    assert world.stored() == before
    check_problem(reply)


def test_ten_thousand_characters_of_name_are_too_large_to_be_looked_at(world: World) -> None:
    room = DiceRoom(world, 1)
    world.rooms.calls.clear()
    assert world.person("Newcomer").act(room.code, "join", name="x" * 10_000).code == "too-large"
    assert world.rooms.calls == []


def test_equal_names_are_told_apart_by_a_number_that_all_see(world: World) -> None:
    room = DiceRoom(world, 1)
    for number in range(2):
        world.person(f"Newcomer {number}").act(room.code, "join", name="ANA")
    names = [each["name"] for each in room.host.view(room.code)["room"]["members"]]
    assert names == ["Ana", "ANA 2", "ANA 3"]
