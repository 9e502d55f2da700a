"""What a player keeps over rooms: inbox, history, ladder, push, and being forgotten."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final

from .kernel.errors import IllegalAction, NotFound, StaleRequest
from .kernel.lobby import forgotten
from .kernel.model import SECOND, Instant
from .kernel.room import Room, reached, wake_at
from .kernel.view import inbox_row
from .limits import ENTERED_ROOMS
from .ports import Device, Page, Profile
from .profanity import is_fit
from .ratings import Rating
from .service import Service

log = logging.getLogger("sobremesa")

MOST_DEVICES: Final = 10
"""That share a key: whoever moves waits while each is written to."""
TOMBSTONE_SECONDS: Final = 30 * 86_400
"""How long it is remembered that somebody has been forgotten."""


def shown(player: str, profile: Profile) -> dict[str, Any]:
    """What a player is told of the own profile, and others but for what is not fit to be read."""
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
    """What everybody may know of a player. Raises `NotFound` for those of whom nothing is kept:
    strangers and the forgotten look alike."""
    profile = service.players.profile(player)
    if not profile.known:
        raise NotFound
    return shown(player, profile._replace(name=_readable(profile.name)))


def _readable(name: str | None) -> str | None:
    """A name as strangers may read it. Private rooms take any; nobody else has to see it."""
    return name if name is not None and is_fit(name) else None


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
    rows = []
    for code, room in service.entered(player).items():
        if (due := wake_at(room, service.games)) is not None and due <= service.clock.now():
            service.notify(service.fire(code))
            stored = service.rooms.get(code, service.clock.now())
            room = room if stored is None else service.load(stored)  # perhaps still open
        me = room.member(player)
        if me is not None:
            rows.append(inbox_row(room, service.games, me))
    rows.sort(key=lambda row: (not row["your_move"], row["due_at"] or 1 << 60, row["code"]))
    return rows


def results(service: Service, player: str, limit: int, cursor: str | None) -> Page:
    return service.players.results(player, limit, cursor)


def ladder(service: Service, limit: int, cursor: str | None) -> Page:
    page = service.players.ladder(limit, cursor)
    items = [{**item, "name": _readable(item["name"])} for item in page.items]
    return Page(items, page.cursor)


def match(service: Service, code: str, number: int, player: str, locale: str) -> dict[str, Any]:
    """The archived record, for whoever played. Raises `NotFound` for all others."""
    for text in service.players.archived(code, number):
        record: dict[str, Any] = json.loads(text)
        if any(each["player_id"] == player for each in record["players"]):
            record["public"] = record["public"][locale]
            return record
    raise NotFound


def register_device(
    service: Service, player: str, created: int, device: str, platform: str, token: str
) -> bool:
    """Push reaches the device, in the rooms that the player is in too; False where its platform
    is not configured. Raises `StaleRequest` if it was signed before the last change, or the player
    has been forgotten meanwhile."""
    before = {each.device: each for each in service.players.devices(player)}
    if len(before.keys() | {device}) > MOST_DEVICES:
        raise IllegalAction("too-many-devices", most=MOST_DEVICES)
    known = change_profile(service, player, Profile(created=created))
    endpoint = service.push.register(platform, token)
    if endpoint is None:
        return False
    if device in before and before[device].endpoint != endpoint:
        _let_go(service, player, before[device])
    registered = Device(device, platform, endpoint)
    service.players.put_device(player, registered)
    if service.players.profile(player).deleted_at != known.deleted_at:
        service.players.drop_device(player, device)
        _let_go(service, player, registered)
        raise StaleRequest
    _mark_pushed(service, player, pushed=True)
    return True


def drop_device(service: Service, player: str, created: int, device: str) -> None:
    """Push does not reach the device any more. Raises `StaleRequest` if it was signed before the
    last change."""
    change_profile(service, player, Profile(created=created))
    dropped = service.players.drop_device(player, device)
    if dropped is not None:
        _let_go(service, player, dropped)
    if not service.players.devices(player):
        _mark_pushed(service, player, pushed=False)


def _let_go(service: Service, player: str, device: Device) -> None:
    """The push service knows the token no more, unless another device has it: a phone with two
    keys has one token."""
    if service.players.release(player, device):
        service.push.forget(device.endpoint)


def _mark_pushed(service: Service, player: str, *, pushed: bool) -> None:
    """The rooms know whether the player is woken, or has to ask often."""

    def differs(room: Room) -> bool:
        me = room.member(player)
        return me is not None and me.pushed != pushed

    def mark(room: Room, now: Instant) -> Room:
        return reached(room, {player}, now, pushed=pushed)

    for code, room in service.entered(player).items():
        if differs(room):
            with suppress(NotFound):
                service.change(code, mark)


def report(service: Service, reporter: str, player: str, about: Mapping[str, Any]) -> None:
    """Kept and counted once for each reporter and day, without saying who reported."""
    if reporter == player:
        raise IllegalAction("report-on-oneself")
    day = service.clock.now() // SECOND // 86_400
    tag = sha256(f"{reporter}\n{player}\n{day}".encode()).hexdigest()[:16]
    if service.players.report(player, f"{day}/{tag}", {"day": day, **about}):
        log.info("a player was reported", extra={"metric": "Reports"})


def export(service: Service, player: str) -> dict[str, Any]:
    """Everything kept about the player: what is under the own id, and the own rows in rooms."""
    own = [
        {"code": code, **row.model_dump(mode="json", exclude={"receipts"})}
        for code, room in service.entered(player).items()
        for row in room.members
        if row.id == player
    ]
    reports = service.players.reports(player)
    return {
        "player_id": player,
        "items": service.players.everything(player),
        "rooms": own,
        # where would tell who
        "reports": [{"day": each["day"], "reason": each["reason"]} for each in reports],
    }


def forget(service: Service, player: str, created: int) -> None:
    """Nothing of the player is left but an opaque id in others' results. The tombstone first: from
    then on nobody comes in by what was signed before. What dies halfway is done again by the same
    request."""

    def leave(room: Room, now: Instant) -> Room:
        return forgotten(room, service.games, player, now)

    until = service.clock.now() // SECOND + TOMBSTONE_SECONDS
    if not service.players.bury(player, service.clock.now(), created, until):
        raise StaleRequest
    while codes := service.players.rooms(player, ENTERED_ROOMS):  # one may be entered meanwhile
        for code, until in codes.items():
            with suppress(NotFound):  # the room has been forgotten before
                service.change(code, leave)
            service.players.drop_room(player, code, until)
    for device in service.players.devices(player):
        _let_go(service, player, device)
    service.players.erase(player)
