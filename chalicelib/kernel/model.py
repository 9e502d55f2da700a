"""What every value of the core is made of: frozen models that cannot be changed into nonsense."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, model_serializer

Seat = int
"""A place at the table of one match, from 0."""

Instant = int
"""Epoch milliseconds, UTC, by the server's clock."""

SECOND = 1_000
"""Milliseconds in a second: games speak seconds, the kernel speaks instants."""


Secret = str
"""Bytes that are never shown before their time, in base64: most steps only carry them along."""


def hidden(value: bytes) -> Secret:
    """As it is stored."""
    return b64encode(value).decode()


def uncovered(value: Secret) -> bytes:
    """As it is used."""
    return b64decode(value)


class Model(BaseModel):
    """A frozen value; unknown fields are refused and errors never echo the input.

    Fields that have a default must keep that default for ever: stored rooms leave them out.
    Validators are built when first used: a cold start pays for the models of one game, not of all.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )

    def evolve(self, **changes: Any) -> Self:
        """A copy with `changes` applied, checked like a new value.

        `model_copy(update=...)` takes misspelt names and wrong types without a word; this
        raises `pydantic.ValidationError` for both. Nested values are taken as they are.
        """
        validator = self.__class__.__pydantic_validator__
        # pydantic types its own validator's result as Any
        return validator.validate_python(self.__dict__ | changes, strict=True)  # type: ignore[no-any-return]


class Settings(Model):
    """What a host may choose for a game. Always stored in full: a later release must not
    change the defaults of a match that runs."""

    @model_serializer(mode="plain")
    def _in_full(self) -> dict[str, Any]:
        return dict(self.__dict__)
