"""Dados mentirosos (liar's dice), with a revolver."""

from __future__ import annotations

from ...kernel.game import Game
from . import rules
from .bots import bot
from .model import BidAction, Challenge, Exact, LiarsDiceSettings, State
from .views import view, words

GAME = Game(
    key="liars-dice",
    seats=range(2, 7),
    Settings=LiarsDiceSettings,
    State=State,
    actions={"bid": BidAction, "challenge": Challenge, "exact": Exact},
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
    fairness=rules.fairness,
)
