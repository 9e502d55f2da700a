"""What people may ask of a room, as it comes over the wire (API.md, "Actions")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from .model import Model
from .names import Name
from .room import Visibility

Entropy = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[ -~]*$")]
SAFE: Final = 2**53
"""The whole numbers that every JSON reader keeps."""

PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=26)]


class Join(Model):
    """Come in: a seat in the lobby, an observer's place while a match runs. Without a name it is
    the profile's; whoever is in the room already keeps the one they have."""

    type: Literal["join"]
    name: Name | None = None
    entropy: Entropy | None = None


class GiveEntropy(Model):
    """Something of one's own for the dice of the next match."""

    type: Literal["entropy"]
    value: Entropy


class Observe(Model):
    """Want no seat until `join` again; during a match that is leaving it."""

    type: Literal["observe"]


class Leave(Model):
    """Leave the room."""

    type: Literal["leave"]


class ClaimHost(Model):
    """Ask for the host role: in a minute it passes, unless the host stirs."""

    type: Literal["claim-host"]


class Configure(Model):
    """Change what the next match will be, or who may come in. Host only."""

    type: Literal["configure"]
    game: str | None = None
    settings: dict[str, Any] | None = None
    visibility: Visibility | None = None
    locked: bool | None = None


class Start(Model):
    """Start the match of this number, the first or a rematch. Host only."""

    type: Literal["start"]
    match: int


class Kick(Model):
    """Remove somebody, who cannot come back. Host only."""

    type: Literal["kick"]
    player_id: PlayerId


class Promote(Model):
    """Give the host role away. Host only."""

    type: Literal["promote"]
    player_id: PlayerId


class AddBot(Model):
    """Seat a bot. Host only."""

    type: Literal["add-bot"]


class RemoveBot(Model):
    """Take a bot away. Host only."""

    type: Literal["remove-bot"]
    player_id: PlayerId


class Continue(Model):
    """Close the open phase, from its floor on, where the host may: `reveal` in every game, and
    `council` of crossed coordinates. Elsewhere it is `illegal-action`. Host only."""

    type: Literal["continue"]


class Envelope(Model):
    """The body of an action request."""

    decision: Annotated[int, Field(ge=-SAFE, le=SAFE)] | None = None
    action: dict[str, Any] = Field(json_schema_extra={"required": ["type"]})


MODELS: Final[Mapping[str, type[Model]]] = {
    "join": Join,
    "entropy": GiveEntropy,
    "observe": Observe,
    "leave": Leave,
    "claim-host": ClaimHost,
    "configure": Configure,
    "start": Start,
    "kick": Kick,
    "promote": Promote,
    "add-bot": AddBot,
    "remove-bot": RemoveBot,
    "continue": Continue,
}
"""What the room itself understands; all other types are a game's."""
