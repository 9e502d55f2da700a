"""Coordenadas cruzadas (crossed coordinates): one place, many fragments, no names."""

from __future__ import annotations

from ...kernel.game import Game
from . import rules
from .bots import bot
from .model import FEWEST, MOST, Ballot, CrossedCoordinatesSettings, Ready, Signal, State
from .views import view, words

GAME = Game(
    key="crossed-coordinates",
    seats=range(FEWEST, MOST + 1),
    Settings=CrossedCoordinatesSettings,
    State=State,
    actions={"ready": Ready, "signal": Signal, "ballot": Ballot},
    start=rules.start,
    act=rules.act,
    expire=rules.expire,
    leave=rules.leave,
    awaiting=rules.awaiting,
    view=view,
    words=words,
    outcome=rules.outcome,
    bot=bot,
    deals=rules.deals,
    used=rules.used,
    ranked=rules.ranked,
    forgets=True,
)
