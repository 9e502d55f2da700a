"""A match begins: seats drawn, cards dealt, the next match's seed laid down (C-7, C-9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import match as matches
from .decks import Pile, deal, spent
from .draws import Draws
from .game import Setup
from .match import Games
from .model import Instant, hidden, uncovered
from .receipts import padded
from .room import Member, Room, master_and_shuffle, stepped


def seated(
    room: Room, games: Games, number: int, players: Sequence[Member], now: Instant, fresh: bytes
) -> Room:
    """The room with match `number` of `players` running since `now`, and from 256 `fresh` bits
    the seed of the match after it."""
    game = games[room.game]
    entropy = tuple(each.entropy for each in sorted(players, key=lambda each: each.id))
    piles = _piles_after(room, games)
    dealt: dict[str, tuple[int, ...]] = {}
    for name, deck in game.deals(len(players)).items():
        pile = piles.get(name) or Pile(
            seed=hidden(Draws(uncovered(room.shuffle)).seed(name)), size=deck.size
        )
        piles[name], dealt[name] = deal(pile, deck)
    root = Draws(matches.root_seed(uncovered(room.master), room.code, number, entropy))
    order = root.shuffled(sorted(each.id for each in players), "seats")
    seats = {player: seat for seat, player in enumerate(order)}
    made_up = Draws(fresh).fork("receipts")
    members = tuple(
        each.evolve(
            seat=seats.get(each.id),
            out=False,
            entropy="",
            receipts=(
                padded(each.receipts, made_up.seed(each.id))
                if game.forgets and not each.bot
                else each.receipts
            ),
        )
        for each in room.members
        if not each.gone
    )
    match = matches.start(
        game,
        code=room.code,
        number=number,
        master=uncovered(room.master),
        entropy=entropy,
        bots=tuple(sorted(seats[each.id] for each in players if each.bot)),
        setup=Setup(
            seats=len(players),
            settings=game.Settings.model_validate(room.settings),
            decision=room.decision + 1,
            dealt=dealt,
        ),
        now=now,
    )
    master, _ = master_and_shuffle(fresh)  # the shuffle stays the room's
    return stepped(room, now, members=members, match=match, master=hidden(master), piles=piles)


def _piles_after(room: Room, games: Games) -> dict[str, Pile]:
    """The piles after the last match: what it used counts as dealt."""
    if room.match is None:
        return dict(room.piles)
    used: Mapping[str, int] = {}
    if not room.match.broken:
        used = games[room.match.game].used(room.match.state)
    return {
        name: spent(pile, used.get(name, room.match.dealt[name]))
        if name in room.match.dealt
        else pile
        for name, pile in room.piles.items()
    }
