"""What requests bring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Union

from pydantic import Field, create_model
from typing_extensions import TypeAliasType

from .. import bodies
from ..games import GAMES
from ..games.liars_dice import model as dice
from ..kernel import verbs
from ..kernel.model import Model
from .parts import DOCUMENTED, GameKey, Settings

MOST_DICE: Final = dice.DICE * (GAMES["liars-dice"].seats.stop - 1)


class NewRoom(bodies.NewRoom):
    """A room to be opened."""

    game: GameKey
    settings: Settings = Field(default_factory=dict)  # type: ignore[assignment]  # ditto


class ProfileChange(bodies.ProfileChange):
    """What to change of the profile."""


class NewDevice(bodies.NewDevice):
    """Where push reaches a device."""


class Report(bodies.Report):
    """What is wrong with a player."""


class ConfigureAction(verbs.Configure):
    """Change what the next match will be, or who may come in. Host only."""

    game: GameKey | None = None
    settings: Settings | None = None  # type: ignore[assignment]  # told in full


class BidAction(dice.BidAction):
    """Raise, or open the round. What the rules refuse is `illegal-action`."""

    model_config = DOCUMENTED

    quantity: int = Field(json_schema_extra={"minimum": 1, "maximum": MOST_DICE})
    """From 1 to `public.dice_in_play`: more than the last bid's, or as many of a higher face."""
    face: int = Field(json_schema_extra={"minimum": 1, "maximum": dice.FACES})
    """From 2 where `public.ones_wild`."""


TOLD: Final[Mapping[type[Model], type[Model]]] = {
    verbs.Configure: ConfigureAction,
    dice.BidAction: BidAction,
}
"""Of which more can be said than their own models do."""


def _action(kind: str, model: type[Model]) -> type[Model]:
    name = "".join(part.capitalize() for part in kind.split("-")) + "Action"
    doc = model.__doc__ if model.__dict__.get("__doc__") else f"The action `{kind}`."
    return create_model(name, __base__=model, __doc__=doc)


ACTIONS: Final = {
    kind: TOLD.get(model) or _action(kind, model)
    for actions in (verbs.MODELS, *(game.actions for game in GAMES.values()))
    for kind, model in actions.items()
}
"""What may be asked of a room, by type."""


Action: Any = TypeAliasType(
    "Action",
    Annotated[Union[tuple(ACTIONS.values())], Field(discriminator="type")],  # noqa: UP007
)


class ActionRequest(verbs.Envelope):
    """An action in a room; one in the game, or `continue`, names the open decision."""

    action: Action
