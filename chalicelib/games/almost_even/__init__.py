"""Casi por igual (almost even): split the table down the middle."""

from __future__ import annotations

from ...kernel.game import Game
from . import rules
from .bots import bot
from .model import AlmostEvenSettings, Publish, State, Vote
from .views import view, words

GAME = Game(
    key="almost-even",
    seats=range(3, 13),
    Settings=AlmostEvenSettings,
    State=State,
    actions={"publish": Publish, "vote": Vote},
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
