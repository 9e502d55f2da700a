"""Waking phones: after the commit, best effort, so that nobody relies on it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from . import content
from .kernel.notices import Notice
from .ports import Device, Players, Push

log = logging.getLogger("sobremesa")


def wake(push: Push, players: Players, found: Sequence[Notice]) -> set[str]:
    """Every device of those concerned has been sent its notice, if the push service took it;
    devices that are gone for good are dropped. Returns who has none left."""
    asleep: set[str] = set()
    for notice in found:
        words = content.push_text(notice.kind, notice.game, notice.locale)
        message = {
            **words,
            "code": notice.code,
            "decision": str(notice.decision),
            "kind": notice.kind,
        }
        with _best_effort():
            devices = players.devices(notice.player)
            if not [each for each in devices if _has(push, players, notice.player, each, message)]:
                asleep.add(notice.player)
    return asleep


def _has(
    push: Push, players: Players, player: str, device: Device, message: Mapping[str, str]
) -> bool:
    """The player still has the device, which has been sent the message if that could be done."""
    with _best_effort():
        if not push.send(device.endpoint, device.platform, message):
            players.drop_device(player, device.device)
            return False
    return True


@contextmanager
def _best_effort() -> Iterator[None]:
    """A phone that sleeps on still finds the room in the inbox."""
    try:
        yield
    except Exception:  # whatever the push service says, what was done is done
        log.warning("push failed", exc_info=True, extra={"metric": "PushFailures"})
