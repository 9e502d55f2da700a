"""How much one player, or one address, may ask for; none of it is counted on the action path."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv6Network
from typing import Final

from .kernel.errors import TooManyRequests
from .kernel.model import SECOND, Instant
from .ports import Players

HOUR_MS: Final = 3_600_000
ROOMS_AN_HOUR: Final = 60
"""New rooms of one player."""
OPEN_ROOMS: Final = 75
"""Rooms that a player may be in."""
ENTERED_ROOMS: Final = 100
"""The same with those that were left and are still there: an inbox reads them all."""
GUESSES_AN_HOUR: Final = 240
"""Codes tried in vain from one address: of 594 million codes that finds none."""


def another_room(players: Players, player: str, now: Instant) -> None:
    """The player's new room is counted. Raises `TooManyRequests`."""
    until = now // SECOND + 2 * HOUR_MS // SECOND
    if players.tally(player, f"rooms/{now // HOUR_MS}", until) > ROOMS_AN_HOUR:
        raise TooManyRequests(HOUR_MS - now % HOUR_MS)


def may_guess(players: Players, source: str, now: Instant) -> None:
    """Codes may still be tried from there, which costs a read. Raises `TooManyRequests`."""
    if players.tallied(_guesses(source), f"{now // HOUR_MS}") >= GUESSES_AN_HOUR:
        raise TooManyRequests(HOUR_MS - now % HOUR_MS)


def guessed(players: Players, source: str, now: Instant) -> None:
    """A code that no room has was tried from there, and that is counted. Raises
    `TooManyRequests` from the limit on."""
    until = now // SECOND + 2 * HOUR_MS // SECOND
    if players.tally(_guesses(source), f"{now // HOUR_MS}", until) > GUESSES_AN_HOUR:
        raise TooManyRequests(HOUR_MS - now % HOUR_MS)


def _guesses(source: str) -> str:
    """Under the address, or the network of one who has 2**64 of them."""
    if ":" in source:
        with suppress(ValueError):  # not an address at all: taken as the gateway says it
            source = str(IPv6Network((source.partition("%")[0], 64), strict=False))
    return f"guesses/{source}"
