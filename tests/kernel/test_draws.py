"""Draws: by label, unbiased, and one way (ARCHITECTURE 4)."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.kernel.draws import Draws, commitment
from tests.table import seed

DRAWS = Draws(seed("draws"))


def test_the_recipe_to_the_byte() -> None:
    block = hmac.new(seed("draws"), b"die/3/4#0", hashlib.sha256).digest()
    words = [int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4)]
    limit = 6 * (2**32 // 6)
    assert DRAWS.below(6, "die", 3, 4) == next(word for word in words if word < limit) % 6


def test_a_word_that_would_bias_is_passed_over() -> None:
    n = 2**31 + 1  # nearly every other word is over the limit
    for number in range(60):
        label = f"biased/{number}"
        words: list[int] = []
        for counter in range(8):
            block = hmac.new(seed("draws"), f"{label}#{counter}".encode(), "sha256").digest()
            words += [int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4)]
        assert DRAWS.below(n, "biased", number) == next(word for word in words if word < n)


@given(n=st.integers(1, 2**32), label=st.text(max_size=8))
def test_below_is_below(n: int, label: str) -> None:
    assert 0 <= DRAWS.below(n, label) < n


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_nothing_else_can_be_drawn(n: int) -> None:
    with pytest.raises(ValueError, match="draw below"):
        DRAWS.below(n, "x")


def test_the_order_of_calls_does_not_matter() -> None:
    a, b = DRAWS.below(1_000, "a"), DRAWS.below(1_000, "b")
    again = Draws(seed("draws"))
    assert (again.below(1_000, "b"), again.below(1_000, "a")) == (b, a)


def test_rolls_begin_with_the_single_draw() -> None:
    assert DRAWS.rolls(30, 6, "x")[0] == DRAWS.below(6, "x")


@given(items=st.lists(st.integers(), max_size=20), label=st.text(max_size=4))
def test_a_shuffle_keeps_every_item(items: list[int], label: str) -> None:
    assert sorted(DRAWS.shuffled(items, label)) == sorted(items)
    assert DRAWS.sample(items, len(items) // 2, label) == tuple(
        DRAWS.shuffled(items, label)[: len(items) // 2]
    )


def test_shuffles_and_dice_are_even() -> None:
    orders = Counter(DRAWS.shuffled("abc", "order", i) for i in range(6_000))
    assert len(orders) == 6
    assert all(850 < count < 1_150 for count in orders.values())
    dice = Counter(DRAWS.below(6, "even", i) for i in range(6_000))
    assert all(850 < count < 1_150 for count in dice.values())


def test_a_sample_cannot_exceed_its_items() -> None:
    with pytest.raises(ValueError, match="more than there are"):
        DRAWS.sample("abc", 4, "x")


def test_a_fork_has_draws_of_its_own_and_does_not_tell_the_seed() -> None:
    fork = DRAWS.fork("round", 1)
    assert fork.seed("x") == hmac.new(DRAWS.seed("round", 1), b"x", hashlib.sha256).digest()
    assert DRAWS.seed("round", 1).hex() not in repr(fork)
    assert repr(fork) == "Draws(<secret>)"
    assert commitment(b"abc") == hashlib.sha256(b"abc").hexdigest()


def test_a_seed_is_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Draws(b"short")
