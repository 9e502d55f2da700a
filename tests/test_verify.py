"""The verifier notices whatever is altered, passes whatever is honest, and says what it could not
check."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from string import Formatter
from typing import Any

import pytest

from chalicelib.games import GAMES
from chalicelib.games.liars_dice import rules
from chalicelib.kernel.draws import Draws
from chalicelib.kernel.errors import GameError
from infra.local import verify
from infra.local.verify.checks import Check, Gap
from infra.local.verify.show import ranges
from tests.table import Table, person, seed

ROOT = Path(__file__).parents[1]
VECTOR: dict[str, Any] = json.loads((ROOT / "tests/vectors/dice.json").read_text("utf-8"))
PEOPLE = [each["player_id"] for each in VECTOR["entropy"]]
BY_PLAYER = {each["player_id"]: each["value"] for each in VECTOR["entropy"]}
PROMISED = {str(each["round"]): each["commitment"] for each in VECTOR["rounds"]}


def view() -> dict[str, Any]:
    """The example's match when it is over, as its view has it: in round 2 seat 2 leaves, and seat 1
    doubts a bid that holds, fires and dies."""
    last = VECTOR["rounds"][-1]
    dice = {str(seat["seat"]): seat["dice"] for seat in last["seats"]}
    fours = sum(die in (1, 4) for cup in dice.values() for die in cup)
    bids = [
        {"seat": 2, "quantity": 3, "face": 4},
        {"seat": 0, "quantity": fours, "face": 4},
    ]
    document = {
        "room": {
            "code": VECTOR["code"],
            "game": "liars-dice",
            "status": "finished",
            "settings": {"ones_wild": True, "exact": True, "bullets": 1},
            "match_number": VECTOR["match"],
            "next_commitment": "0" * 64,
            "members": [
                {"player_id": each, "name": f"Guest {seat}", "seat": seat, "left": seat == 2}
                for seat, each in enumerate(PEOPLE)
            ],
        },
        "you": {"player_id": PEOPLE[0], "seat": 0},
        "match": {
            "number": VECTOR["match"],
            "game": "liars-dice",
            "decision": 9,
            "outcome": {
                "status": "completed",
                "standings": [{"seat": seat, "position": seat + 1} for seat in range(3)],
                "winners": [0],
            },
            "private": {"dice": dice["0"]},
            "public": {
                "round": last["round"],
                "ones_wild": True,
                "exact": True,
                "dice_in_play": 15,
                "turn": None,
                "bids": bids,
                "players": [
                    {"seat": 0, "alive": True, "bullets": 1, "dice": 5, "position": 1},
                    {"seat": 1, "alive": False, "bullets": 2, "dice": 5, "position": 2},
                    {"seat": 2, "alive": False, "bullets": 0, "dice": 5, "position": 3},
                ],
                "reveal": {
                    "kind": "challenge",
                    "caller": 1,
                    "bid": bids[-1],
                    "face": 4,
                    "count": fours,
                    "dice": dice,
                    "shots": [{"seat": 1, "bullets": 2, "chamber": 2, "dead": True}],
                },
                "fairness": {
                    "master_commitment": VECTOR["master_commitment"],
                    "master_seed": VECTOR["master"],
                    "entropy": VECTOR["entropy"],
                    "rounds": [
                        {key: each[key] for key in ("round", "commitment", "seed")}
                        for each in VECTOR["rounds"]
                    ],
                },
            },
        },
    }
    copied: dict[str, Any] = json.loads(json.dumps(document))
    return copied


def running() -> dict[str, Any]:
    """The same, in the reveal."""
    document = view()
    document["room"]["status"] = "playing"
    document["match"]["outcome"] = None
    document["match"]["public"]["turn"] = 0
    document["match"]["public"]["fairness"]["master_seed"] = None
    return document


def findings(*documents: Any) -> dict[tuple[int | None, str], bool]:
    found: dict[tuple[int | None, str], bool] = {}
    for each in verify.check(verify.read(*documents)):
        found[each.round, each.what] = found.get((each.round, each.what), True) and each.ok
    return found


def noticed(*documents: Any) -> set[tuple[int | None, str]]:
    return {key for key, ok in findings(*documents).items() if not ok}


def left(*documents: Any) -> dict[str, Gap]:
    """What could not be checked, by its key."""
    return {each.key: each for each in verify.unchecked(verify.read(*documents))}


# --- what is honest ------------------------------------------------------------------------------


def test_all_of_an_honest_match_is_as_published() -> None:
    found = findings(view())
    assert all(found.values())
    assert set(found) >= {
        *((None, what) for what in ("master", "complete", "people", "order", "winners")),
        *((number, what) for number in (1, 2) for what in ("commitment", "root")),
        *((2, what) for what in ("dice", "chambers", "count", "own", "fired", "alive", "bid")),
    }


def test_while_a_match_runs_what_is_out_is_checked() -> None:
    found = findings(running())
    assert all(found.values())
    assert {(1, "commitment"), (2, "dice"), (2, "fired"), (2, "turn")} <= found.keys()
    assert (1, "root") not in found
    assert "secret" in left(running())


def test_a_match_that_broke_off_lists_its_last_rounds() -> None:
    table = Table("liars-dice", 3)
    table.start()
    while table.state.round < 4:
        on(table)
    assert table.room.match is not None
    table.room = table.room.evolve(match=table.room.match.evolve(broken=True))
    assert noticed(table.view(0)) == set()
    assert "broke-off" in left(table.view(0))


def on(table: Table) -> None:
    """The match goes on by one call."""
    if table.phase == "reveal":
        table.wait_for_next()
    elif table.state.bids:
        table.play(table.state.turn, "challenge")
    else:
        table.play(table.state.turn, "bid", quantity=3, face=4)


def liar(table: Table) -> None:
    table.play(table.state.turn, "bid", quantity=3, face=4)
    table.play(table.state.turn, "challenge")


def exact_right(table: Table) -> None:
    face = next(face for face in range(2, 7) if rules.count(table.state, face))
    quantity = rules.count(table.state, face)
    table.play(table.state.turn, "bid", quantity=quantity, face=face)
    table.play(table.state.turn, "exact")


def exact_wrong(table: Table) -> None:
    quantity = rules.count(table.state, 6) % 4 + 1
    table.play(table.state.turn, "bid", quantity=quantity, face=6)
    table.play(table.state.turn, "exact")


def timeout(table: Table) -> None:
    table.play(table.state.turn, "bid", quantity=1, face=2)
    table.wait_for_next()


def leaving(table: Table) -> None:
    table.act(table.at(table.state.turn), {"type": "leave"})


def leaving_ones_bid(table: Table) -> None:
    bidder = table.state.turn
    table.play(bidder, "bid", quantity=1, face=2)
    table.act(table.at(bidder), {"type": "leave"})


def leaving_between(table: Table) -> None:
    """Whoever comes before the bidder leaves: the dice stay."""
    bidder = table.state.turn
    table.play(bidder, "bid", quantity=3, face=4)
    seats = len(table.state.position)
    table.act(table.at((bidder - 1) % seats), {"type": "leave"})
    table.play(table.state.turn, "challenge")


def leaving_in_the_reveal(table: Table) -> None:
    exact_right(table)
    if table.state.living[1:]:
        table.act(table.at(table.state.turn), {"type": "leave"})


@pytest.mark.parametrize("wild", [True, False])
@pytest.mark.parametrize(
    ("end", "kind"),
    [
        pytest.param(liar, "challenge", id="liar"),
        pytest.param(exact_right, "exact", id="exact, and it was"),
        pytest.param(exact_wrong, "exact", id="exact, and it was not"),
        pytest.param(timeout, "timeout", id="a turn lapses"),
        pytest.param(leaving, "void", id="who is on turn leaves"),
        pytest.param(leaving_ones_bid, "void", id="who made the standing bid leaves"),
        pytest.param(leaving_between, "challenge", id="somebody else leaves"),
        pytest.param(leaving_in_the_reveal, "exact", id="the caller leaves in the reveal"),
    ],
)
def test_every_kind_of_reveal_passes(end: Callable[[Table], None], kind: str, wild: bool) -> None:
    table = Table("liars-dice", 5, {"ones_wild": wild, "bullets": 2}, master=end.__name__)
    lobby = table.view(4)
    table.start()
    end(table)
    reveal = seen(table)
    assert reveal["match"]["public"]["reveal"]["kind"] == kind
    assert noticed(reveal) == set()
    while table.status == "playing":
        on(table)
    assert noticed(lobby, reveal, seen(table)) == set()


def seen(table: Table) -> Any:
    """The room as a file, for somebody who is still there."""
    here = next(n for n in reversed(range(5)) if table.room.member(person(n)) is not None)
    return json.loads(json.dumps(table.view(here)))


@pytest.mark.parametrize("number", range(12))
def test_real_matches_pass_at_every_moment_and_as_a_whole(number: int) -> None:
    rng = Random(number)
    kept: dict[str, Any] | None = None
    documents: list[Any] = []
    for document in played(rng):
        kept = verify.noted(document, kept)
        if document["match"] is not None:
            assert noticed(document) == set()
        documents.append({**document, "noted": kept})
    rng.shuffle(documents)
    assert noticed(*documents) == set()
    assert "missing" not in left(*documents)
    assert "noted-master" not in left(*documents)


def played(rng: Random) -> Iterator[Any]:
    """A match of people and bots, who let time go by, leave and come back, as the host sees it."""
    players, bots = rng.randint(2, 4), rng.randint(0, 2)
    settings = {"ones_wild": rng.random() < 0.6, "bullets": rng.randint(1, 5)}
    table = Table("liars-dice", players, settings, master=str(rng.random()))
    for _ in range(bots):
        table.act(0, {"type": "add-bot"})
    yield table.view(0)
    table.start()
    while table.status == "playing":
        yield json.loads(json.dumps(table.view(0)))
        chance, seat = rng.random(), table.state.turn
        if chance < 0.06:
            with suppress(GameError):
                act = rng.choice(["leave", "observe", "join"])
                table.act(rng.randrange(1, players), {"type": act})
        elif table.phase == "reveal" or chance < 0.1 or seat in table.room.match.bots:  # type: ignore[union-attr]
            table.wait_for_next()
        elif table.state.bids and chance < 0.35:
            table.play(seat, rng.choice(["challenge", "exact"]))
        else:
            luck = Draws(seed(str(rng.random())))
            action = table.game.bot(table.game.view(table.state, seat), "turn", seat, luck)
            table.play(seat, **as_played(action.model_dump(mode="json")))
    yield json.loads(json.dumps(table.view(0)))


def as_played(action: dict[str, Any]) -> dict[str, Any]:
    return {"kind": action.pop("type"), **action}


# --- what is altered -----------------------------------------------------------------------------

Alter = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("alter", "found"),
    [
        pytest.param(
            lambda public: public["fairness"].update(master_seed="ff" * 32),
            {(None, "master"), (1, "root"), (2, "root")},
            id="another master",
        ),
        pytest.param(
            lambda public: public["fairness"]["entropy"][0].update(value="sun"),
            {(1, "root"), (2, "root")},
            id="entropy that nobody gave",
        ),
        pytest.param(
            lambda public: public["fairness"]["entropy"][0].update(player_id="0" * 26),
            {(None, "people")},
            id="entropy of somebody who is not there",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"][0].update(seed="ff" * 32),
            {(1, "commitment"), (1, "root")},
            id="another round seed",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"].pop(0),
            {(None, "complete")},
            id="the first round left out",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"].pop(),
            {(None, "complete")},
            id="the last round left out",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"].reverse(),
            {(None, "complete")},
            id="rounds in another order",
        ),
        pytest.param(
            lambda public: public.update(round=3),
            {(None, "complete")}
            | {(3, what) for what in ("dice", "own", "chambers", "count", "dead", "alive")},
            id="another round",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"][1].update(seed=None),
            {(2, "seed")},
            id="a seed held back",
        ),
        pytest.param(
            lambda public: public["reveal"]["dice"]["0"].reverse(),
            {(2, "dice")},
            id="dice in another order",
        ),
        pytest.param(
            lambda public: public["reveal"]["dice"].pop("2"), {(2, "cups")}, id="a cup left out"
        ),
        pytest.param(
            lambda public: public["reveal"]["shots"][0].update(chamber=3, dead=False),
            {(2, "chambers"), (2, "dead")},
            id="another chamber",
        ),
        pytest.param(
            lambda public: public["reveal"]["shots"][0].update(chamber=1),
            {(2, "chambers")},
            id="another chamber that kills too",
        ),
        pytest.param(
            lambda public: public["reveal"]["shots"][0].update(bullets=1),
            {(2, "bullets"), (2, "dead"), (2, "alive")},
            id="fewer bullets at the shot",
        ),
        pytest.param(
            lambda public: public["reveal"].update(count=9), {(2, "count")}, id="a miscount"
        ),
        pytest.param(
            lambda public: public["reveal"].update(face=5), {(2, "face")}, id="another face"
        ),
        pytest.param(
            lambda public: public.update(ones_wild=False),
            {(2, "count"), (2, "fired")},
            id="ones that are not wild",
        ),
        pytest.param(
            lambda public: public["reveal"]["bid"].update(quantity=9),
            {(2, "bid")},
            id="another bid called",
        ),
        pytest.param(
            lambda public: public["bids"][-1].update(quantity=9),
            {(2, "bid"), (2, "fired")},
            id="a bid that was higher",
        ),
        pytest.param(
            lambda public: (
                public["bids"][-1].update(quantity=9),
                public["reveal"]["bid"].update(quantity=9),
            ),
            {(2, "fired")},
            id="a bid so high that the other should have fired",
        ),
        pytest.param(
            lambda public: public["bids"][0].update(quantity=6),
            {(2, "bids")},
            id="a bid that does not raise",
        ),
        pytest.param(
            lambda public: public["bids"][0].update(seat=0),
            {(2, "bidder")},
            id="a bid out of turn",
        ),
        pytest.param(
            lambda public: public["reveal"].update(kind="exact"),
            {(2, "fired")},
            id="exact, and right, instead of liar",
        ),
        pytest.param(
            lambda public: public["reveal"].update(caller=2),
            {(2, "caller"), (2, "fired")},
            id="another caller",
        ),
        pytest.param(
            lambda public: public["reveal"]["shots"].pop(),
            {(2, "fired"), (2, "alive")},
            id="a shot left out",
        ),
        pytest.param(
            lambda public: public["players"][0].update(bullets=6),
            {(2, "bullets")},
            id="more bullets than anybody survives",
        ),
        pytest.param(
            lambda public: public["players"][1].update(bullets=1),
            {(2, "bullets")},
            id="fewer bullets than were fired",
        ),
        pytest.param(
            lambda public: public["players"][1].update(alive=True),
            {(2, "alive"), (2, "position"), (None, "winners"), (None, "survivors")},
            id="alive against the shot",
        ),
        pytest.param(
            lambda public: public["players"][1].update(position=3),
            {(2, "position"), (None, "standing")},
            id="another position",
        ),
        pytest.param(lambda public: public.update(turn=0), {(2, "turn")}, id="a turn after all"),
        pytest.param(
            lambda public: public.update(dice_in_play=10), {(2, "in-play")}, id="fewer dice"
        ),
    ],
)
def test_whatever_is_altered_is_noticed(alter: Alter, found: set[tuple[int | None, str]]) -> None:
    document = view()
    alter(document["match"]["public"])
    assert noticed(document) == found


@pytest.mark.parametrize(
    ("alter", "found"),
    [
        pytest.param(
            lambda match: match["outcome"].update(winners=[1]), {"winners"}, id="another winner"
        ),
        pytest.param(
            lambda match: match["outcome"].update(winners=[]), {"winners"}, id="no winner at all"
        ),
        pytest.param(
            lambda match: match["outcome"]["standings"].reverse(), {"order"}, id="another order"
        ),
        pytest.param(
            lambda match: match["outcome"]["standings"].pop(), {"order"}, id="somebody left out"
        ),
        pytest.param(
            lambda match: match["outcome"]["standings"][2].update(position=2),
            {"standing"},
            id="another position",
        ),
        pytest.param(
            lambda match: match["outcome"].update(status="interrupted"),
            {"order", "winners", "turn"},
            id="broken off, with a winner",
        ),
        pytest.param(lambda match: match.update(number=2), {"root"}, id="another match"),
        pytest.param(
            lambda match: match["private"]["dice"].reverse(), {"own"}, id="other dice of one's own"
        ),
    ],
)
def test_a_match_that_is_altered_is_noticed(alter: Alter, found: set[str]) -> None:
    document = view()
    alter(document["match"])
    assert {what for _, what in noticed(document)} == found


@pytest.mark.parametrize(
    ("alter", "found"),
    [
        pytest.param(
            lambda view: view["room"]["settings"].update(ones_wild=False),
            {(2, "ones-wild")},
            id="wild ones against the settings",
        ),
        pytest.param(
            lambda view: view["room"]["members"][2].update(left=False),
            {(2, "alive")},
            id="dead without a shot, and still there",
        ),
        pytest.param(
            lambda view: view["match"]["public"]["fairness"]["rounds"].pop(),
            {(None, "complete")},
            id="the round itself left out",
        ),
        pytest.param(
            lambda view: view["match"]["public"]["fairness"]["rounds"][1].update(seed=None),
            {(2, "seed")},
            id="no seed after the shots",
        ),
        pytest.param(
            lambda view: view["match"]["public"].update(turn=1), {(2, "turn")}, id="a dead one next"
        ),
    ],
)
def test_while_a_match_runs_what_is_altered_is_noticed(
    alter: Alter, found: set[tuple[int | None, str]]
) -> None:
    document = running()
    alter(document)
    assert noticed(document) == found


# --- what was noted, and several files -----------------------------------------------------------


def lobby(commitment: str = VECTOR["master_commitment"]) -> dict[str, Any]:
    """The room before the match."""
    return {
        "room": {**view()["room"], "match_number": 0, "next_commitment": commitment},
        "match": None,
    }


def early() -> dict[str, Any]:
    """The match in round 2, before the shots."""
    document = running()
    public = document["match"]["public"]
    public.update(reveal=None, turn=1)
    public["fairness"]["rounds"][1]["seed"] = None
    public["players"][1].update(alive=True, bullets=1, position=None)
    public["players"][0].update(position=None)
    document["match"]["decision"] = 8
    return document


def test_what_is_noted_of_views_is_enough_to_compare_with() -> None:
    kept = verify.noted(early(), verify.noted(lobby()))
    assert kept == {
        "code": VECTOR["code"],
        "matches": {
            "1": {
                "next_commitment": VECTOR["master_commitment"],
                "rounds": {"2": VECTOR["rounds"][1]["commitment"]},
            },
            "2": {"next_commitment": "0" * 64},
        },
    }
    document = {**view(), "noted": json.loads(json.dumps(kept))}
    assert findings(document)[None, "noted"]
    assert findings(document)[2, "noted"]
    assert left(document)["noted-rounds"].rounds == [1]


def test_what_was_noted_first_stays() -> None:
    kept = verify.noted(lobby("f" * 64), verify.noted(lobby()))
    assert kept == verify.noted(lobby())
    other = lobby()
    other["room"]["code"] = "CDEFGH"
    assert verify.noted(other, kept)["code"] == "CDEFGH"
    assert verify.noted(view(), kept)["matches"].keys() == {"1", "2"}
    rematch = {**view(), "room": {**view()["room"], "match_number": 2}}
    assert verify.noted(rematch, verify.noted(view(), kept))["matches"].keys() == {"2", "3"}


@pytest.mark.parametrize(
    ("noted", "found"),
    [
        pytest.param({"next_commitment": "0" * 64}, {(None, "noted")}, id="another master"),
        pytest.param({"rounds": {"1": "0" * 64}}, {(1, "noted")}, id="another round"),
        pytest.param({"entropy": "sun"}, {(None, "entropy")}, id="other entropy"),
        pytest.param(
            {
                "next_commitment": VECTOR["master_commitment"],
                "entropy": BY_PLAYER[PEOPLE[0]],
                "rounds": PROMISED,
            },
            set(),
            id="all as it was",
        ),
    ],
)
def test_what_was_noted_by_hand_is_compared(
    noted: dict[str, Any], found: set[tuple[int | None, str]]
) -> None:
    document = {**view(), "noted": noted}
    assert noticed(document) == found
    assert "entropy" in left(document) or "entropy" in noted


def test_a_promise_that_changes_before_it_is_opened_is_noticed() -> None:
    later = early()
    later["match"]["public"]["fairness"]["rounds"][1]["commitment"] = "0" * 64
    assert noticed({**later, "noted": verify.noted(early())}) == {(2, "noted")}


def test_a_lobby_and_earlier_views_count_as_noted() -> None:
    documents = [view(), early(), lobby()]
    assert noticed(*documents) == set()
    assert findings(*documents).keys() >= {(None, "noted"), (2, "noted")}
    assert left(view()).keys() == {"noted-master", "noted-rounds", "entropy", "missing", "loaded"}
    assert left(*documents).keys() == {"noted-rounds", "entropy", "missing"}
    assert noticed(view(), lobby("0" * 64)) == {(None, "noted")}


@pytest.mark.parametrize(
    ("alter", "found"),
    [
        pytest.param(
            lambda public: public["fairness"].update(master_commitment="0" * 64),
            {(None, "sealed")},
            id="another master",
        ),
        pytest.param(
            lambda public: public["fairness"]["entropy"][0].update(value="sun"),
            {(None, "digest")},
            id="other entropy",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"][0].update(commitment="0" * 64),
            {(1, "sealed")},
            id="another round that is over",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"][1].update(commitment="0" * 64),
            {(2, "noted")},
            id="another round to come",
        ),
        pytest.param(
            lambda public: public["players"][1].update(bullets=2),
            {(2, "loaded")},
            id="as many bullets as afterwards",
        ),
        pytest.param(
            lambda public: public["players"][0].update(bullets=3),
            {(2, "bullets")},
            id="more bullets than afterwards",
        ),
        pytest.param(
            lambda public: (
                public["players"][2].update(position=2),
                public["players"][1].update(alive=False, position=3),
            ),
            {(2, "alive"), (2, "position"), (2, "turn")},
            id="dead before",
        ),
    ],
)
def test_files_that_contradict_each_other_are_noticed(
    alter: Alter, found: set[tuple[int | None, str]]
) -> None:
    document = early()
    alter(document["match"]["public"])
    assert noticed(document, view()) == found


def test_bullets_are_followed_from_round_to_round() -> None:
    """The first defeat loads three, the second one more."""
    table = Table("liars-dice", 2, {"bullets": 3}, master="drum 3")
    table.start()
    documents = []
    while table.status == "playing":
        on(table)
        if table.phase == "reveal":
            documents.append(table.view(0))
    documents.append(table.view(0))
    assert noticed(*documents) == set()
    assert {"loaded", "missing", "first-load"}.isdisjoint(left(*documents))
    reveals = [each["match"]["public"] for each in documents]
    for public in reveals[-2:]:
        seat = public["reveal"]["shots"][0]["seat"]
        public["reveal"]["shots"][0]["bullets"] += 1
        public["players"][seat]["bullets"] += 1
    assert "loaded" in {what for _, what in noticed(*documents)}


# --- the command ---------------------------------------------------------------------------------


def files(folder: Path, *documents: Any) -> list[str]:
    names = []
    for number, document in enumerate(documents):
        file = folder / f"{number}.json"
        file.write_text(json.dumps(document), "utf-8")
        names.append(str(file))
    return names


def test_the_command_prints_a_table_and_says_how_it_went(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verify.main(files(tmp_path, view())) == 0
    printed = capsys.readouterr().out
    assert VECTOR["root"] in printed
    assert "MISMATCH" not in printed
    assert "15 dice and 1 chamber among them" in printed
    assert "- Not compared with what was promised before the match" in printed
    assert "- Round 1: dice, calls and shots are not in what was given" in printed
    assert max(map(len, printed.splitlines())) <= 100

    document = view()
    document["match"]["public"]["reveal"]["count"] = 9
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"receipt": {}, "view": document})))
    assert verify.main(["-"]) == 1
    printed = capsys.readouterr().out
    assert "- round 2: dice that count: published 9, worked out 5" in printed
    assert "1 does not agree" in printed


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en", "- round 2, seat 1 (Guest 1): chamber: published 5, worked out 2"),
        ("es", "- ronda 2, asiento 1 (Guest 1): cámara: publicado 5, calculado 2"),
    ],
)
def test_what_differs_is_named(
    locale: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOCALE", locale)
    document = view()
    document["match"]["public"]["reveal"]["shots"][0]["chamber"] = 5
    assert verify.main(files(tmp_path, document)) == 1
    printed = capsys.readouterr().out
    assert said in printed.splitlines()
    assert max(map(len, printed.splitlines())) <= 100


def test_all_files_together_leave_less_unchecked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify.main(files(tmp_path, lobby(), early(), view())) == 0
    assert "Not compared with what was promised" not in capsys.readouterr().out


def test_a_name_cannot_write_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = view()
    document["room"]["members"][1]["name"] = "\x1b[2J"
    document["match"]["public"]["reveal"]["shots"][0]["chamber"] = 5
    document["match"]["public"]["fairness"]["rounds"][0]["commitment"] = "\x1b]0;"
    assert verify.main(files(tmp_path, document)) == 1
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[]", "the only game with dice"),
        ("{}", "the only game with dice"),
        ("7", "the only game with dice"),
        (json.dumps(lobby()), "no match has begun"),
        (json.dumps({**view(), "match": {"game": "almost-even"}}), "a match of almost-even"),
        (json.dumps({"code": "CDEFGH", "match": 1, "game": "almost-even"}), "of almost-even"),
        (json.dumps({**view(), "match": {"game": "liars-dice"}}), "“public” is missing"),
    ],
)
def test_what_has_no_dice_is_no_success(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "view.json"
    file.write_text(text, "utf-8")
    assert verify.main([str(file)]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("locale", verify.LOCALES)
@pytest.mark.parametrize("game", [each for each in GAMES if each != "liars-dice"])
def test_another_game_has_no_dice(
    game: str,
    locale: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOCALE", locale)
    table = Table(game, 4)
    table.start()
    assert verify.main(files(tmp_path, table.view(0))) == 2
    said = capsys.readouterr().err
    assert game in said
    assert "liars-dice" in said


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["nowhere.json"]], ids=["nothing", "help", "no such file"]
)
def test_without_a_file_it_says_so(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify.main(arguments) == 2
    assert capsys.readouterr().err


def test_a_language_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALE", "fr")
    assert verify.main(["view.json"]) == 2


def test_files_of_different_matches_are_not_mixed() -> None:
    rematch = running()
    rematch["match"]["number"] = 2
    with pytest.raises(verify.Unreadable) as several:
        verify.read(running(), rematch)
    assert several.value.key == "several-matches"
    assert verify.read(view(), rematch).match == 2
    rematch["room"]["code"] = "CDEFGH"
    with pytest.raises(verify.Unreadable) as rooms:
        verify.read(view(), rematch)
    assert rooms.value.key == "several-rooms"


def test_before_the_first_seed_is_out_nothing_is_called_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = early()
    document["match"]["public"]["round"] = 1
    rows = document["match"]["public"]["fairness"]["rounds"]
    rows.pop()
    rows[0]["seed"] = None
    for player in document["match"]["public"]["players"]:
        player["bullets"] = 0
    assert verify.main(files(tmp_path, document)) == 2
    assert "No dice can be checked yet" in capsys.readouterr().out


# --- the words -----------------------------------------------------------------------------------


def shape(words: Any) -> Any:
    """Keys and gaps of a catalogue, whatever the language."""
    if isinstance(words, dict):
        return {key: shape(value) for key, value in words.items()}
    return sorted(gap for _, gap, _, _ in Formatter().parse(words) if gap)


def test_both_languages_say_the_same_things() -> None:
    assert shape(verify.words("es")) == shape(verify.words("en"))


@pytest.mark.parametrize("locale", verify.LOCALES)
def test_every_check_has_its_words(locale: str) -> None:
    words = verify.words(locale)
    code = (ROOT / "infra/local/verify/checks.py").read_text("utf-8")
    for key in words:
        kind, _, name = key.partition("-")
        if kind in ("what", "gap"):
            assert f'"{name}"' in code, f"nothing says {key}"
    record = verify.read(view())
    whats = {each.what for each in verify.check(record)}
    for what in whats:
        check = Check(1, what, False, 1, None, [1, 2], None)
        assert verify.differences(record, [check], words)
    for gap in verify.unchecked(record):
        assert verify.gaps([gap], words)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([], ""), ([4], "4"), ([1, 2, 3, 5], "1–3, 5"), ([2, 1], "2, 1"), ([1, 1], "1, 1")],
)
def test_ranges(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text
