"""What a seat or an observer sees of liar's dice: the own dice, and what lies on the table."""

from __future__ import annotations

from typing import Any

from ...kernel.game import Catalogue
from ...kernel.model import Seat
from .model import (
    Bid,
    Private,
    Public,
    SeenBid,
    SeenPlayer,
    SeenReveal,
    SeenShot,
    State,
    View,
)
from .rules import count


def view(state: State, seat: Seat | None) -> View:
    """Others' dice only in the reveal of a round that was not void (LD-1, LD-3, LD-10)."""
    own = "" if seat is None else state.dice[seat]
    return View(
        public=Public(
            round=state.round,
            dice_in_play=state.dice_in_play,
            turn=None if state.over else state.turn,
            bids=tuple(map(_seen, state.bids)),
            players=tuple(
                SeenPlayer(
                    seat=each,
                    alive=place < 2,
                    bullets=state.bullets[each],
                    dice=len(state.dice[each]),
                    position=place or None,
                )
                for each, place in enumerate(state.position)
            ),
            reveal=_reveal(state),
            ones_wild=state.settings.ones_wild,
            exact=state.settings.exact,
        ),
        private=None if seat is None else Private(dice=_pips(own)),
    )


def words(seen: View, catalogue: Catalogue) -> dict[str, Any]:
    """Dice need no words."""
    return seen.model_dump(mode="json")


def _seen(bid: Bid) -> SeenBid:
    return SeenBid(seat=bid.seat, quantity=bid.quantity, face=bid.face)


def _pips(dice: str) -> tuple[int, ...]:
    return tuple(map(int, dice))


def _reveal(state: State) -> SeenReveal | None:
    reveal = state.reveal
    if reveal is None:
        return None
    bid = state.bids[-1] if state.bids else None
    called = reveal.kind in ("challenge", "exact") and bid is not None
    return SeenReveal(
        kind=reveal.kind,
        caller=reveal.caller,
        bid=None if bid is None else _seen(bid),
        face=bid.face if called and bid else None,
        count=count(state, bid.face) if called and bid else None,
        dice={str(seat): _pips(cup) for seat, cup in enumerate(state.dice) if cup and called},
        shots=tuple(
            SeenShot(seat=shot.seat, bullets=shot.bullets, chamber=shot.chamber, dead=shot.dead)
            for shot in reveal.shots
        ),
    )
