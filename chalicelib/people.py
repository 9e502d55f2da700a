"""What a player keeps over rooms: inbox, history, ladder, push, and being forgotten."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from .kernel.errors import NotFound, StaleRequest
from .kernel.lobby import forgotten
from .kernel.model import SECOND, Instant
from .kernel.room import Room, wake_at
from .kernel.view import inbox_row
from .ports import Device, Page, Profile
from .ratings import Rating
from .service import Service

TOMBSTONE_SECONDS: Final = 30 * 86_400
"""How long it is remembered that somebody has been forgotten."""


def shown(player: str, profile: Profile) -> dict[str, Any]:
    """What everybody may know of a player."""
    return {
        "player_id": player,
        "name": profile.name,
        "temple": whole(profile.rating),
        "provisional": profile.rating.provisional,
        "matches": profile.rating.matches,
    }


def whole(rating: Rating) -> int:
    """TEMPLE as it is shown."""
    return round(rating.temple)


def public(service: Service, player: str) -> dict[str, Any]:
    profile = service.players.profile(player)
    if profile is None or (
        profile.deleted_at and profile == Profile(deleted_at=profile.deleted_at)
    ):
        raise NotFound
    return shown(player, profile)


def profile(service: Service, player: str) -> Profile:
    """The player's own, which may be empty."""
    return service.players.profile(player)


def change_profile(service: Service, player: str, changes: Profile) -> Profile:
    """The profile after the change. Raises `StaleRequest` if it was signed before the last."""
    changed = service.players.change_profile(player, changes)
    if changed is None:
        raise StaleRequest
    return changed


def inbox(service: Service, player: str) -> list[dict[str, Any]]:
    """The player's rooms: where a move is awaited first, then by deadline."""
    codes = service.players.rooms(player)
    rows = []
    for code, room in _rooms(service, codes).items():
        if (due := wake_at(room, service.games)) is not None and due <= service.clock.now():
            service.fire(code)  # nothing is shown closed that is not stored
            room = _rooms(service, [code]).get(code, room)
        me = room.member(player)
        if me is not None:
            rows.append(inbox_row(room, service.games, me))
    rows.sort(key=lambda row: (not row["your_move"], row["due_at"] or 1 << 60, row["code"]))
    return rows


def _rooms(service: Service, codes: list[str]) -> dict[str, Room]:
    found = service.rooms.many(codes, service.clock.now())
    return {code: service.load(stored) for code, stored in found.items()}


def results(service: Service, player: str, limit: int, cursor: str | None) -> Page:
    return service.players.results(player, limit, cursor)


def ladder(service: Service, limit: int, cursor: str | None) -> Page:
    return service.players.ladder(limit, cursor)


def match(service: Service, code: str, number: int, player: str, locale: str) -> dict[str, Any]:
    """The archived record, for whoever played. Raises `NotFound` for all others."""
    for text in service.players.archived(code, number):
        record: dict[str, Any] = json.loads(text)
        if any(each["player_id"] == player for each in record["players"]):
            record["public"] = record["public"][locale]
            return record
    raise NotFound


def register_device(service: Service, player: str, device: str, platform: str, token: str) -> bool:
    """Push reaches the device; False where its platform is not configured."""
    endpoint = service.push.register(platform, token)
    if endpoint is None:
        return False
    service.players.put_device(player, Device(device, platform, endpoint))
    return True


def drop_device(service: Service, player: str, device: str) -> None:
    dropped = service.players.drop_device(player, device)
    if dropped is not None:
        service.push.forget(dropped.endpoint)


def report(service: Service, reporter: str, player: str, about: Mapping[str, Any]) -> None:
    """Kept and counted once for each reporter and day, without saying who reported."""
    day = service.clock.now() // SECOND // 86_400
    tag = sha256(f"{reporter}\n{player}\n{day}".encode()).hexdigest()[:16]
    service.players.report(player, f"{day}/{tag}", about)


def export(service: Service, player: str) -> dict[str, Any]:
    """Everything kept about the player: what is under the own id, and the own rows in rooms."""
    rooms = _rooms(service, service.players.rooms(player))
    own = [
        {"code": code, **row.model_dump(mode="json", exclude={"receipts"})}
        for code, room in rooms.items()
        for row in room.members
        if row.id == player
    ]
    return {"player_id": player, "items": service.players.everything(player), "rooms": own}


def forget(service: Service, player: str, created: int) -> None:
    """Nothing of the player is left but an opaque id in others' results. Rooms first: what dies
    halfway is done again by the same request."""

    def leave(room: Room, now: Instant) -> Room:
        if any(each.id == player and not each.erased for each in room.members):
            return forgotten(room, service.games, player, now)
        return room

    if profile(service, player).created > created:
        raise StaleRequest
    for code in service.players.rooms(player):
        service.change(code, leave)
    for device in service.players.devices(player):
        service.push.forget(device.endpoint)
    until = service.clock.now() // SECOND + TOMBSTONE_SECONDS
    if not service.players.erase(player, service.clock.now(), created, until):
        raise StaleRequest
