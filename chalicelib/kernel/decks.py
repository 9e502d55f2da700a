"""Decks of a room: shuffled once, dealt on from match to match, a new lap when too few are left
(C-9). The room keeps seed and cursor, not the order."""

from __future__ import annotations

from .draws import Draws
from .game import Deck
from .model import Model, Secret, hidden, uncovered


class Pile(Model):
    """One deck as a room keeps it."""

    seed: Secret
    size: int
    """How many there were when this lap was shuffled: content added later waits for the next."""
    cursor: int = 0


def deal(pile: Pile, deck: Deck) -> tuple[Pile, tuple[int, ...]]:
    """The next `needed` numbers, and the pile that they come from: this lap's or, when too few
    are left, a new one's. The cursor stays: `spent` moves it."""
    if pile.size - pile.cursor < deck.needed:
        pile = Pile(seed=hidden(Draws(uncovered(pile.seed)).seed("lap")), size=deck.size)
    order = Draws(uncovered(pile.seed)).shuffled(range(pile.size), "deck")
    return pile, order[pile.cursor : pile.cursor + deck.needed]


def spent(pile: Pile, count: int) -> Pile:
    """The pile after `count` of what it dealt last count as dealt."""
    return pile.evolve(cursor=pile.cursor + count)
