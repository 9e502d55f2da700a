"""All games by key: the one line that a new game adds outside its folder."""

from __future__ import annotations

from typing import Final

from ..kernel.match import Games
from . import almost_even, crossed_coordinates, liars_dice

GAMES: Final[Games] = {
    game.key: game for game in (almost_even.GAME, liars_dice.GAME, crossed_coordinates.GAME)
}
