"""A first bot: plays by the odds, bluffs a little, and sees what its seat sees."""

from __future__ import annotations

from typing import Final

from ...kernel.draws import Draws
from ...kernel.model import Model, Seat
from .model import FACES, BidAction, Challenge, Exact, View
from .odds import at_least, exactly

DOUBT: Final = 0.28
"""Below this chance it says liar."""
SURE: Final = 0.30
"""From this chance of an exact hit it may call exact."""
BLUFFS: Final = 6
"""One bid in so many is a bluff."""


def bot(seen: View, phase: str, seat: Seat, draws: Draws) -> Model:
    """A legal move for `seat`, whose turn it is."""
    public = seen.public
    own = () if seen.private is None else seen.private.dice
    unknown = public.dice_in_play - len(own)

    def mine(face: int) -> int:
        return sum(die == face or (public.ones_wild and die == 1) for die in own)

    def likely(quantity: int, face: int) -> float:
        missing = quantity - mine(face)
        if missing <= 0:
            return 1.0
        return at_least(unknown, public.ones_wild)[missing - 1] if missing <= unknown else 0.0

    standing = public.bids[-1] if public.bids else None
    faces = [face for face in range(1, FACES + 1) if face > 1 or not public.ones_wild]
    raises = [
        (quantity, face)
        for quantity in range(1, public.dice_in_play + 1)
        for face in faces
        if standing is None or (quantity, face) > (standing.quantity, standing.face)
    ]
    if standing is not None:
        missing = standing.quantity - mine(standing.face)
        if public.exact and 0 <= missing <= unknown:
            hit = exactly(unknown, public.ones_wild)[missing]
            if hit >= SURE and draws.below(3, "exact") == 0:
                return Exact(type="exact")
        if not raises or likely(standing.quantity, standing.face) < DOUBT:
            return Challenge(type="challenge")
    near = raises[: 2 * len(faces)]
    if draws.below(BLUFFS, "bluff") == 0:
        quantity, face = near[draws.below(min(len(near), len(faces)), "which")]
    else:
        quantity, face = max(near, key=lambda bid: (round(likely(*bid), 2), mine(bid[1]), bid))
    if standing is not None and likely(quantity, face) < DOUBT / 2:
        return Challenge(type="challenge")
    return BidAction(type="bid", quantity=quantity, face=face)
