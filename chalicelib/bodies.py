"""What requests outside a room bring (API.md, "Endpoints"); a room's actions are in the kernel."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from .kernel.model import Model
from .kernel.names import Name
from .kernel.room import Visibility
from .kernel.verbs import Entropy
from .service import CODE_LENGTH


class NewRoom(Model):
    """The body of POST /v1/rooms."""

    game: Annotated[str, StringConstraints(max_length=40)]
    settings: dict[str, Any] = Field(default_factory=dict)
    visibility: Visibility
    name: Name | None = None
    entropy: Entropy | None = None


class ProfileChange(Model):
    """The body of PATCH /v1/me."""

    name: Name | None = None
    locale: Literal["es", "en"] | None = None


class NewDevice(Model):
    """The body of PUT /v1/me/push/{device_id}."""

    platform: Literal["apns", "apns-sandbox", "fcm"]
    token: Annotated[str, StringConstraints(min_length=8, max_length=4096, pattern=r"^[!-~]*$")]


class Report(Model):
    """The body of POST /v1/players/{player_id}/reports."""

    reason: Literal["name", "conduct"]
    room: Annotated[str, StringConstraints(max_length=CODE_LENGTH)] | None = None
