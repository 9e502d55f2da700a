"""API.md, "Dice that anyone can check": one match to the byte, by two implementations that share
nothing."""

import json
import re
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
