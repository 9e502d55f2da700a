"""Whatever is wrong with what people send has a reason of its own, and never repeats it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from pydantic import BaseModel, ValidationError

from chalicelib.bodies import NewDevice, NewRoom, ProfileChange, Report
from chalicelib.games import GAMES
from chalicelib.kernel.faults import REASONS, WRONG, Fault, faults
from chalicelib.kernel.model import Model
from chalicelib.kernel.verbs import MODELS, Envelope

SENT: Final[tuple[type[Model], ...]] = (
    Envelope,
    *MODELS.values(),
    NewDevice,
    NewRoom,
    ProfileChange,
    Report,
    *(game.Settings for game in GAMES.values()),
    *(model for game in GAMES.values() for model in game.actions.values()),
)
"""All that is made from what people send."""
CANARY: Final = "canary-5d0e"
VALUES: Final[tuple[Any, ...]] = (
    *(None, True, 0, 1, -1, 10**30, -(10**30), 1.0, 1.5),
    *("", CANARY, CANARY * 500, f" {CANARY}", f"\x00{CANARY}", "—"),
    *([], [CANARY], [CANARY] * 9, [1, 2], {}, {CANARY: 1}),
)
"""What JSON can hold, but for lone surrogates, which are refused before."""


def refused(model: type[Model], value: Any) -> ValidationError | None:
    try:
        model.model_validate(value, strict=True)
    except ValidationError as problem:
        return problem
    return None


def refusals() -> Iterator[ValidationError]:
    for model in SENT:
        for value in VALUES:
            bodies = [value, {CANARY: value}, *({name: value} for name in model.model_fields)]
            yield from filter(None, (refused(model, body) for body in bodies))


def test_every_kind_of_error_has_a_reason_and_no_other_kind_has() -> None:
    kinds = {error["type"] for problem in refusals() for error in problem.errors()}
    assert kinds == REASONS.keys() | {"value_error"}


def test_a_fault_says_what_is_expected_and_nothing_of_what_is_there() -> None:
    for problem in refusals():
        for fault in faults(problem):
            assert fault.reason != WRONG
            assert CANARY not in f"{fault.reason} {fault.params}"


def test_every_pattern_is_of_printable_characters() -> None:
    contexts = (error.get("ctx", {}) for each in refusals() for error in each.errors())
    patterns = {context["pattern"] for context in contexts if "pattern" in context}
    assert patterns == {"^[ -~]*$", "^[!-~]*$"}


def test_what_nobody_thought_of_is_wrong_all_the_same() -> None:
    class Rare(BaseModel):
        value: bytes

    with pytest.raises(ValidationError) as problem:
        Rare.model_validate({"value": CANARY}, strict=True)
    assert faults(problem.value, "/a") == (Fault("/a/value", WRONG, {}),)
