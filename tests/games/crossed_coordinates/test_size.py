"""ARCHITECTURE 5: a room of twelve is stored in at most 4 KB, at any time."""

from __future__ import annotations

from chalicelib.games.crossed_coordinates import GAME
from chalicelib.kernel import store

from .table import PHASES, Table

MOST = 4_096
RECEIPTS = 3


def named(table: Table) -> None:
    """Names of twelve letters."""
    members = tuple(
        each.evolve(name=f"Comensal {number:03}")
        for number, each in enumerate(table.room.members)
        if each.seat is not None
    )
    table.room = table.room.evolve(members=members)


def full_of_receipts(table: Table) -> None:
    for _ in range(RECEIPTS):
        for number in table.people:
            table.act(number, {"type": "join"})


def test_a_room_of_twelve_fits_in_every_phase_of_every_round() -> None:
    """With all answers but the last, and then the next phase, whose opening they bring."""
    table = Table(12)
    named(table)
    full_of_receipts(table)
    sizes: dict[tuple[int, str], int] = {}

    def measure() -> None:
        assert all(len(each.receipts) == RECEIPTS for each in table.room.members)
        assert all(len(each.name) == 12 for each in table.room.members)
        again = store.load(table.stored, table.games)
        assert again == table.room
        at = (table.state.round, table.phase)
        sizes[at] = max(sizes.get(at, 0), len(table.stored.encode()))

    while table.status == "playing":
        measure()
        for seat in table.seats:
            if table.phase == "study" and seat < 11:
                table.ready(seat)
            elif table.phase == "encode":
                table.signal(seat)
            elif table.phase == "ballot":
                table.ballot(seat, "T", "D")
            measure()
        table.wait_for_next()
    measure()
    assert set(sizes) == {(n, phase) for n in range(1, 5) for phase in PHASES} | {(4, "over")}
    assert max(sizes.values()) <= MOST, sizes


def test_what_a_round_adds_is_gone_once_it_is_scored() -> None:
    """The state alone: round four's reveal is hardly larger than round one's."""
    table = Table(12)
    sizes = []
    for number in range(1, 5):
        table.until_round(number)
        table.until("encode").all_signal().vote("T" * 12, "D" * 12)
        sizes.append(len(table.state.model_dump_json(exclude_defaults=True)))
    assert max(sizes) - min(sizes) < 60
    assert GAME.State.model_fields.keys() >= {"fragments", "hands", "sent", "ballots"}
