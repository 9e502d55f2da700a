"""A first bot: publishes what comes, votes by a temper of its own, and sees what its seat sees."""

from __future__ import annotations

from typing import Final

from ...kernel.draws import SEED_BYTES, Draws
from ...kernel.model import Model, Seat
from .model import TWISTS, Hand, Publish, View, Vote

TEMPERS: Final = (25, 40, 50, 60, 75)
"""How often a bot takes side a, in hundredths."""
_TEMPERS_OF_A_TABLE: Final = Draws(bytes(SEED_BYTES))


def temper(seen: View, seat: Seat) -> int:
    """One of `TEMPERS`, the same for a seat through the whole match. It is drawn from the turn
    order, which is public, since the match's own seed is forgotten at every closing."""
    order = "-".join(map(str, seen.public.order))
    return TEMPERS[_TEMPERS_OF_A_TABLE.below(len(TEMPERS), "temper", order, seat)]


def bot(seen: View, phase: str, seat: Seat, draws: Draws) -> Model:
    """A legal move for `seat`: as the author any of the six dilemmas, else a vote."""
    if isinstance(seen.private, Hand):
        cards = seen.private.cards
        which = draws.below(TWISTS * len(cards), "publish")
        return Publish(type="publish", card=cards[which // TWISTS], twist=which % TWISTS)
    takes_a = draws.below(100, "vote") < temper(seen, seat)
    return Vote(type="vote", side="a" if takes_a else "b")
