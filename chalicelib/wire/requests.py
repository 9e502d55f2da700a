"""What requests bring."""

from __future__ import annotations

from typing import Annotated, Any, Final, Union

from pydantic import Field, create_model
from typing_extensions import TypeAliasType

from .. import bodies
from ..games import GAMES
from ..kernel import verbs
from ..kernel.model import Model
from .parts import GameKey, Settings


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


def _action(kind: str, model: type[Model]) -> type[Model]:
    name = "".join(part.capitalize() for part in kind.split("-")) + "Action"
    doc = model.__doc__ if model.__dict__.get("__doc__") else f"The action `{kind}`."
    return create_model(name, __base__=model, __doc__=doc)


ACTIONS: Final = {
    kind: ConfigureAction if model is verbs.Configure else _action(kind, model)
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
