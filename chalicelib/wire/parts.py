"""What models of the wire share: keys, ids, settings, how a match ends."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field
from typing_extensions import TypeAliasType

from ..games import GAMES
from ..games.almost_even import model as evens
from ..games.crossed_coordinates import model as places
from ..games.liars_dice import model as dice
from ..http import STATUS
from ..kernel.model import Instant, Model, Seat

DOCUMENTED: Final = ConfigDict(use_attribute_docstrings=True)

GameKey = Annotated[str, Field(json_schema_extra={"enum": list(GAMES)})]
Code = Annotated[str, Field(json_schema_extra={"enum": list(STATUS)})]
RoomCode = Annotated[str, Field(examples=["KRTWMN"])]
PlayerId = Annotated[str, Field(examples=["2bqu3wmxfhv6e2etrjugyempyn"])]


class LiarsDiceSettings(dice.LiarsDiceSettings):
    """Settings of liar's dice. A ranked table has the defaults."""


class AlmostEvenSettings(evens.AlmostEvenSettings):
    """Almost even has nothing to choose."""


class CrossedCoordinatesSettings(places.CrossedCoordinatesSettings):
    """Crossed coordinates has nothing to choose."""


Settings = TypeAliasType(
    "Settings",
    Annotated[
        LiarsDiceSettings | AlmostEvenSettings | CrossedCoordinatesSettings,
        Field(description="Those of the room's game; in answers always in full."),
    ],
)


class Standing(Model):
    """How one seat came out."""

    model_config = DOCUMENTED

    seat: Seat
    position: int | None
    """Shared by those who tie; null in crossed coordinates."""
    points: int | None
    """Null in liar's dice."""


class Outcome(Model):
    """How the match ended."""

    model_config = DOCUMENTED

    status: Literal["completed", "interrupted"]
    standings: tuple[Standing, ...]
    """Empty, like `winners`, in crossed coordinates: what the table reached is `public.score`."""
    winners: tuple[Seat, ...]


class AnyMatch(Model):
    model_config = DOCUMENTED

    number: int
    decision: int
    """The open question: every action in the game names it."""
    opened_at: Instant
    floor_at: Instant | None
    """Before this instant the phase does not close, though all have answered; null if it may. It
    does not promise that the host may `continue`: see ContinueAction."""
    due_at: Instant | None
    """From this instant on no answer is in time."""
    your_move: bool
    answered: int | None
    """Null where a count would tell too much."""
    expected: int
    you_answered: bool
    outcome: Outcome | None
    """Null while the match runs."""
