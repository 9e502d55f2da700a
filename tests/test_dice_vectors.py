"""API.md, "Dice that anyone can check": one match to the byte, by two implementations that share
nothing; and a verifier that notices whatever is altered."""

import copy
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chalicelib.kernel.draws import Draws, commitment, keyed
from chalicelib.kernel.match import root_seed
from infra.local import verify

ROOT = Path(__file__).parents[1]
VECTOR: dict[str, Any] = json.loads((ROOT / "tests/vectors/dice.json").read_text("utf-8"))
MASTER, SEED = bytes.fromhex(VECTOR["master"]), bytes.fromhex(VECTOR["rounds"][0]["seed"])
VALUES = tuple(each["value"] for each in VECTOR["entropy"])
BY_PLAYER = {each["player_id"]: each["value"] for each in VECTOR["entropy"]}
ROUNDS = [pytest.param(each, id=each["text"]) for each in VECTOR["rounds"]]
DRAWS = [pytest.param(each, id=each["label"]) for each in VECTOR["draws"]]


# --- the vector ----------------------------------------------------------------------------------


def test_the_players_come_in_the_order_of_their_ids() -> None:
    assert list(BY_PLAYER) == sorted(BY_PLAYER)
    assert "\n".join(VALUES) == VECTOR["entropy_joined"]


def test_the_verifier_agrees_on_the_match() -> None:
    assert verify.sha256(MASTER) == VECTOR["master_commitment"]
    digest = verify.entropy_digest(BY_PLAYER)
    assert digest == VECTOR["entropy_digest"]
    root = verify.root_of(MASTER, VECTOR["code"], VECTOR["match"], digest)
    assert root.hex() == VECTOR["root"]
    assert verify.keyed(MASTER, VECTOR["root_text"]) == root


def test_the_kernel_agrees_on_the_match() -> None:
    assert commitment(MASTER) == VECTOR["master_commitment"]
    assert commitment("\n".join(VALUES).encode()) == VECTOR["entropy_digest"]
    assert root_seed(MASTER, VECTOR["code"], VECTOR["match"], VALUES).hex() == VECTOR["root"]


@pytest.mark.parametrize("each", ROUNDS)
def test_the_verifier_agrees_on_a_round(each: dict[str, Any]) -> None:
    seed = verify.round_seed(bytes.fromhex(VECTOR["root"]), each["round"])
    assert (seed.hex(), verify.sha256(seed)) == (each["seed"], each["commitment"])
    for seat in each["seats"]:
        assert verify.dice_of(seed, seat["seat"]) == seat["dice"]
        assert verify.chamber_of(seed, seat["seat"]) == seat["chamber"]


@pytest.mark.parametrize("each", ROUNDS)
def test_the_kernel_agrees_on_a_round(each: dict[str, Any]) -> None:
    root = Draws(bytes.fromhex(VECTOR["root"]))
    seed = root.seed("round", each["round"])
    assert (seed.hex(), commitment(seed)) == (each["seed"], each["commitment"])
    draws = root.fork("round", each["round"])
    for seat in each["seats"]:
        dice = [1 + draws.below(6, "die", seat["seat"], i) for i in range(5)]
        assert dice == seat["dice"]
        assert 1 + draws.below(6, "shot", seat["seat"]) == seat["chamber"]


@pytest.mark.parametrize("each", DRAWS)
def test_both_agree_on_every_block_and_on_what_is_skipped(each: dict[str, Any]) -> None:
    words: list[int] = []
    for block in each["blocks"]:
        assert verify.keyed(SEED, block["text"]).hex() == block["hmac"]
        assert keyed(SEED, block["text"]).hex() == block["hmac"]
        raw = bytes.fromhex(block["hmac"])
        assert [int.from_bytes(raw[i : i + 4], "big") for i in range(0, 32, 4)] == block["words"]
        words += block["words"]
    assert each["limit"] == each["n"] * (2**32 // each["n"])
    assert all(word >= each["limit"] for word in words[: each["skipped"]])
    assert words[each["skipped"]] == each["word"]
    assert verify.below(SEED, each["n"], each["label"]) == each["below"]
    assert Draws(SEED).below(each["n"], *each["label"].split("/")) == each["below"]


def test_one_example_needs_a_second_block() -> None:
    assert max(each["skipped"] for each in VECTOR["draws"]) >= 8


# --- the page ------------------------------------------------------------------------------------


def test_the_page_tells_the_numbers_of_the_vector() -> None:
    page = (ROOT / "docs/dice.md").read_text("utf-8")
    first, shot = VECTOR["draws"][0], VECTOR["draws"][2]
    wanted = [VECTOR["master"], VECTOR["master_commitment"], VECTOR["entropy_digest"]]
    wanted += [VECTOR["root_text"], VECTOR["root"], first["blocks"][0]["hmac"]]
    wanted += [json.dumps(VECTOR["entropy_joined"])[1:-1]]
    wanted += [f"| `{player}` | `{value}` |" for player, value in BY_PLAYER.items() if value]
    for each in VECTOR["rounds"]:
        wanted.append(f"| {each['round']} | `{each['seed']}` | `{each['commitment']}` |")
        for seat in each["seats"]:
            dice = " ".join(map(str, seat["dice"]))
            wanted.append(f"| seat {seat['seat']} | {dice} | {seat['chamber']} |")
    wanted.append(f"{first['word']} mod 6 = {first['below']}")
    wanted.append(f"{shot['word']} mod 6 = {shot['below']}")
    wanted.append(f"`{shot['blocks'][0]['hmac'][:8]}`")
    assert [text for text in wanted if text not in page] == []


def test_the_page_tells_no_other_numbers() -> None:
    page = (ROOT / "docs/dice.md").read_text("utf-8")
    known = json.dumps(VECTOR)
    assert [digits for digits in re.findall(r"\b[0-9a-f]{64}\b", page) if digits not in known] == []


# --- the verifier --------------------------------------------------------------------------------


def view() -> dict[str, Any]:
    """The example's match when it is over, as its view has it."""
    last = VECTOR["rounds"][-1]
    dice = {str(seat["seat"]): seat["dice"] for seat in last["seats"]}
    fours = sum(die in (1, 4) for cup in dice.values() for die in cup)
    shot = {"seat": 1, "bullets": 2, "chamber": last["seats"][1]["chamber"], "dead": True}
    return {
        "room": {"code": VECTOR["code"], "settings": {"ones_wild": True}},
        "match": {
            "number": VECTOR["match"],
            "public": {
                "round": last["round"],
                "ones_wild": True,
                "reveal": {
                    "kind": "challenge",
                    "caller": 1,
                    "face": 4,
                    "count": fours,
                    "dice": dice,
                    "shots": [shot],
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


def findings(document: Any) -> dict[tuple[int | None, str], bool]:
    return {(each.round, each.what): each.ok for each in verify.check(verify.read(document))}


def test_all_of_an_honest_match_is_as_published() -> None:
    found = findings(view())
    assert all(found.values())
    assert set(found) == {
        *((None, what) for what in ("master", "complete")),
        *((number, what) for number in (1, 2) for what in ("commitment", "root")),
        *((2, what) for what in ("dice", "chambers", "count")),
    }


def test_while_a_match_runs_what_is_out_is_checked() -> None:
    document = view()
    fairness = document["match"]["public"]["fairness"]
    fairness["master_seed"] = fairness["rounds"][1]["seed"] = None
    assert findings(document) == {(1, "commitment"): True}


def test_what_was_noted_before_is_compared() -> None:
    match = view()["match"]
    record = {
        "code": VECTOR["code"].lower(),
        "match": VECTOR["match"],
        "fairness": match["public"]["fairness"],
        "noted": {"next_commitment": "0" * 64, "rounds": {"1": VECTOR["rounds"][0]["commitment"]}},
    }
    found = findings(record)
    assert (found[None, "noted"], found[1, "noted"]) == (False, True)


Alter = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("alter", "noticed"),
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
            lambda public: public["fairness"]["rounds"][0].update(seed="ff" * 32),
            {(1, "commitment"), (1, "root")},
            id="another round seed",
        ),
        pytest.param(
            lambda public: public["fairness"]["rounds"].pop(0),
            {(None, "complete")},
            id="a round left out",
        ),
        pytest.param(
            lambda public: public["reveal"]["dice"]["0"].reverse(),
            {(2, "dice")},
            id="dice in another order",
        ),
        pytest.param(
            lambda public: public["reveal"]["shots"][0].update(chamber=3, dead=False),
            {(2, "chambers")},
            id="another chamber",
        ),
        pytest.param(
            lambda public: public["reveal"]["shots"][0].update(dead=False),
            {(2, "chambers")},
            id="alive against the chamber",
        ),
        pytest.param(
            lambda public: public["reveal"].update(count=9), {(2, "count")}, id="a miscount"
        ),
    ],
)
def test_whatever_is_altered_is_noticed(alter: Alter, noticed: set[tuple[int | None, str]]) -> None:
    document = copy.deepcopy(view())
    alter(document["match"]["public"])
    assert {key for key, ok in findings(document).items() if not ok} == noticed


def test_the_command_prints_a_table_and_says_how_it_went(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "view.json"
    file.write_text(json.dumps(view()), "utf-8")
    assert verify.main([str(file)]) == 0
    printed = capsys.readouterr().out
    assert VECTOR["root"] in printed
    assert "MISMATCH" not in printed
    assert max(map(len, printed.splitlines())) <= 100

    document = view()
    document["match"]["public"]["reveal"]["count"] = 9
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"receipt": {}, "view": document})))
    assert verify.main(["-"]) == 1
    assert "MISMATCH" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"match": null, "room": {"code": "KRTWMN"}}'])
def test_what_has_no_dice_is_no_success(text: str, tmp_path: Path) -> None:
    file = tmp_path / "view.json"
    file.write_text(text, "utf-8")
    assert verify.main([str(file)]) == 2


def test_before_the_first_seed_is_out_nothing_is_called_verified(tmp_path: Path) -> None:
    document = view()
    fairness = document["match"]["public"]["fairness"]
    fairness["master_seed"] = None
    for row in fairness["rounds"]:
        row["seed"] = None
    file = tmp_path / "view.json"
    file.write_text(json.dumps(document), "utf-8")
    assert verify.main([str(file)]) == 2
