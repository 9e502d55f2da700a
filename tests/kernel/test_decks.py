"""C-9: no repeat in a room until too few cards are left; then a new lap."""

from __future__ import annotations

from chalicelib.kernel.decks import Pile, deal, spent
from chalicelib.kernel.game import Deck
from chalicelib.kernel.model import hidden
from tests.table import seed


def test_every_card_comes_once_a_lap() -> None:
    pile, deck = Pile(seed=hidden(seed()), size=12), Deck(size=12, needed=4)
    for _ in range(4):
        seen: list[int] = []
        for _ in range(3):
            pile, dealt = deal(pile, deck)
            pile = spent(pile, 4)
            seen += dealt
        assert sorted(seen) == list(range(12))


def test_too_few_left_begins_a_new_lap_in_another_order() -> None:
    pile, deck = Pile(seed=hidden(seed()), size=10), Deck(size=10, needed=4)
    first, dealt = deal(pile, deck)
    third, again = deal(spent(first, 8), deck)
    assert third.seed != first.seed
    assert third.cursor == 0
    assert dealt != again


def test_what_was_not_shown_is_dealt_again() -> None:
    pile, dealt = deal(Pile(seed=hidden(seed()), size=10), Deck(size=10, needed=4))
    _, after = deal(spent(pile, 1), Deck(size=10, needed=4))
    assert after[:3] == dealt[1:]


def test_cards_added_meanwhile_wait_for_the_next_lap() -> None:
    deck = Deck(size=14, needed=4)
    pile, dealt = deal(Pile(seed=hidden(seed()), size=10, cursor=0), deck)
    assert pile.size == 10
    assert max(dealt) < 10
    pile, _ = deal(spent(pile, 8), deck)
    assert pile.size == 14
