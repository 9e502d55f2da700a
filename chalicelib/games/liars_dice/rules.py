"""Dados mentirosos, rule by rule (RULES.md, LD-1 to LD-12)."""

from __future__ import annotations

from typing import TypeVar

from ...kernel.draws import Draws
from ...kernel.errors import IllegalAction
from ...kernel.game import Awaiting, Deck, Outcome, Setup
from ...kernel.model import Model, Seat
from .model import (
    CHAMBERS,
    DICE,
    FACES,
    REVEAL_FLOOR_SECONDS,
    REVEAL_SECONDS,
    Bid,
    BidAction,
    Challenge,
    LiarsDiceSettings,
    Reveal,
    Shot,
    State,
)

WILD = 1
T = TypeVar("T")


def start(setup: Setup[LiarsDiceSettings], draws: Draws) -> State:
    """The first round is rolled and its starter drawn (LD-1, LD-8)."""
    seats = setup.seats
    state = State(
        settings=setup.settings,
        decision=setup.decision,
        round=0,
        turn=draws.below(seats, "starter"),
        dice=("",) * seats,
        bullets=(0,) * seats,
        defeated=(False,) * seats,
        position=(0,) * seats,
    )
    return _rolled(state, draws)


def _round(state: State, draws: Draws) -> Draws:
    return draws.fork("round", state.round)


def _rolled(state: State, draws: Draws) -> State:
    """A new round of all the living, begun by `turn`."""
    state = state.evolve(
        round=state.round + 1,
        bids=(),
        reveal=None,
        last_void=state.reveal is not None and state.reveal.kind in ("timeout", "void"),
    )
    seed, living = _round(state, draws), state.living
    dice = tuple(
        "".join(str(1 + seed.below(FACES, "die", seat, i)) for i in range(DICE))
        if seat in living
        else ""
        for seat in range(len(state.position))
    )
    return state.evolve(dice=dice)


def awaiting(state: State) -> Awaiting | None:
    if state.over:
        return None
    if state.reveal is not None:
        return Awaiting(
            decision=state.decision,
            phase="reveal",
            seconds=REVEAL_SECONDS,
            asked=None,
            floor_seconds=REVEAL_FLOOR_SECONDS,
            host_may_close=True,
        )
    return Awaiting(
        decision=state.decision,
        phase="turn",
        seconds=state.settings.turn_seconds,
        asked=frozenset((state.turn,)),
    )


def act(state: State, seat: Seat, action: Model, draws: Draws) -> State:
    """`seat`, whose turn it is, has bid, said liar or called exact (LD-2)."""
    if isinstance(action, BidAction):
        return _bid(state, Bid(seat, action.quantity, action.face))
    if not state.bids:
        raise IllegalAction("LD-2.first-bids")
    if isinstance(action, Challenge):
        return _challenge(state, seat, draws)
    if not state.settings.exact:
        raise IllegalAction("LD-6.exact-off")
    return _exact(state, seat, draws)


def _bid(state: State, bid: Bid) -> State:
    if not 1 <= bid.face <= FACES:
        raise IllegalAction("LD-2.face")
    if not 1 <= bid.quantity <= state.dice_in_play:
        raise IllegalAction("LD-2.quantity", most=state.dice_in_play)
    if bid.face == WILD and state.settings.ones_wild:
        raise IllegalAction("LD-4.ones-wild")
    if state.bids and bid[1:] <= state.bids[-1][1:]:
        raise IllegalAction("LD-2.raise")
    return state.evolve(
        decision=state.decision + 1,
        bids=(*state.bids, bid),
        turn=_next_living(state, bid.seat),
    )


def count(state: State, face: int) -> int:
    """Dice of the round that show `face`, wild ones included (LD-4, LD-5)."""
    wild = WILD if state.settings.ones_wild else face
    return sum(die in (str(face), str(wild)) for cup in state.dice for die in cup)


def _challenge(state: State, caller: Seat, draws: Draws) -> State:
    """LD-5: the bid stood, and the challenger loses; or it did not, and the bidder does."""
    bid = state.bids[-1]
    loser = caller if count(state, bid.face) >= bid.quantity else bid.seat
    return _defeat(state, Reveal(kind="challenge", caller=caller), loser, draws)


def _exact(state: State, caller: Seat, draws: Draws) -> State:
    """LD-6: on a hit all the others load one and fire; else the caller loses."""
    bid = state.bids[-1]
    reveal = Reveal(kind="exact", caller=caller)
    if count(state, bid.face) != bid.quantity:
        return _defeat(state, reveal, caller, draws)
    others = [seat for seat in state.living if seat != caller]
    bullets = {seat: min(CHAMBERS, state.bullets[seat] + 1) for seat in others}
    return _fired(state, reveal, bullets, caller, draws)


def _defeat(state: State, reveal: Reveal, loser: Seat, draws: Draws) -> State:
    """LD-7: the first defeat loads the table's bullets, each later one a single one more."""
    load = 1 if state.defeated[loser] else state.settings.bullets
    bullets = min(CHAMBERS, state.bullets[loser] + load)
    state = state.evolve(defeated=_with(state.defeated, {loser: True}))
    return _fired(state, reveal, {loser: bullets}, loser, draws)


def _fired(
    state: State, reveal: Reveal, bullets: dict[Seat, int], starter: Seat, draws: Draws
) -> State:
    """Each of `bullets` has fired once, at the same instant; the reveal is open."""
    seed = _round(state, draws)
    shots = tuple(
        Shot(seat, loaded, 1 + seed.below(CHAMBERS, "shot", seat))
        for seat, loaded in bullets.items()
    )
    state = state.evolve(
        decision=state.decision + 1,
        bullets=_with(state.bullets, bullets),
        reveal=reveal.evolve(shots=shots),
    )
    state = _dead(state, [shot.seat for shot in shots if shot.dead])
    starter = starter if starter in state.living else _next_living(state, starter)
    return state.evolve(turn=starter)


def _dead(state: State, seats: list[Seat]) -> State:
    """LD-9: who dies at the same instant shares position survivors + 1; the last one alive has
    position 1, and with it the match is decided."""
    survivors = [seat for seat in state.living if seat not in seats]
    position = _with(state.position, dict.fromkeys(seats, len(survivors) + 1))
    if len(survivors) == 1:
        position = _with(position, {survivors[0]: 1})
    return state.evolve(position=position)


def _decided(state: State) -> bool:
    return 1 in state.position


def expire(state: State, draws: Draws) -> State:
    """A reveal is over and the next round rolled, or the match ended; or a turn has lapsed: the
    house loads six bullets and fires, and the round is void (LD-3)."""
    if state.reveal is None:
        lapsed = {state.turn: CHAMBERS}
        reveal = Reveal(kind="timeout", caller=state.turn)
        return _fired(state, reveal, lapsed, state.turn, draws)
    state = state.evolve(decision=state.decision + 1)
    return state.evolve(over=True) if _decided(state) else _rolled(state, draws)


def leave(state: State, seat: Seat) -> State:
    """LD-9: leaving is dying at once. On turn, or with the standing bid, it voids the round."""
    if _decided(state):  # the last reveal: positions are final
        everybody_gone = state.position[seat] == 1
        return state.evolve(decision=state.decision + 1, over=True) if everybody_gone else state
    if seat not in state.living:
        return state
    state = _dead(state, [seat])
    if _decided(state):
        return state.evolve(decision=state.decision + 1, over=True)
    on_turn = state.turn == seat
    if on_turn:
        state = state.evolve(turn=_next_living(state, seat))
    if state.reveal is not None:
        return state
    if on_turn or (state.bids and state.bids[-1].seat == seat):
        return state.evolve(decision=state.decision + 1, reveal=Reveal(kind="void", caller=seat))
    return state


def outcome(state: State) -> Outcome:
    """LD-9: by position; the last one alive wins."""
    ranking = sorted(range(len(state.position)), key=lambda seat: (state.position[seat], seat))
    return Outcome(
        status="completed",
        standings=tuple((seat, state.position[seat], None) for seat in ranking),
        winners=tuple(seat for seat in ranking if state.position[seat] == 1),
    )


def fairness(state: State) -> tuple[tuple[int, bool], ...]:
    """This round and the last while the match runs, all once it is over; a seed may be shown
    after the round's shots, a void round's only at the end."""
    if state.over:
        return tuple((number, True) for number in range(1, state.round + 1))
    shot = state.reveal is not None and state.reveal.kind in ("challenge", "exact")
    rows = ((state.round, shot),)
    return rows if state.round == 1 else ((state.round - 1, not state.last_void), *rows)


def deals(seats: int) -> dict[str, Deck]:
    return {}


def used(state: State) -> dict[str, int]:
    return {}


def ranked(settings: LiarsDiceSettings) -> bool:
    """LD-11; the settings themselves refuse anything but the defaults."""
    return settings.ranked


def _next_living(state: State, seat: Seat) -> Seat:
    """The next living seat clockwise of `seat`."""
    seats = len(state.position)
    living = state.living
    return next(
        after % seats for after in range(seat + 1, seat + 1 + seats) if after % seats in living
    )


def _with(values: tuple[T, ...], changed: dict[Seat, T]) -> tuple[T, ...]:
    return tuple(changed.get(seat, value) for seat, value in enumerate(values))
