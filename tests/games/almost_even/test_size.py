"""ARCHITECTURE 5: a room of twelve is one item of at most 4 KB in every phase of a match."""

from __future__ import annotations

import pytest

from chalicelib.kernel import store

from .table import WATCHER, Table

LIMIT = 4_096


@pytest.mark.parametrize(
    "course",
    [
        pytest.param("publish", id="everybody publishes"),
        pytest.param("wait", id="everybody lapses"),
        pytest.param("leave", id="players leave until three are left"),
    ],
)
def test_a_room_of_twelve_is_at_most_4_kb(course: str) -> None:
    """Names of twelve letters, ids of 26, English speakers, and three receipts a member. Nobody
    watches: 24 observers have 4 KB of their own."""
    table = Table(12)
    for member in table.members:
        for _ in range(3):  # joining once more is a receipt and nothing else
            table.act(member, {"type": "join"})
    table.start()
    table.act(WATCHER, {"type": "leave"})
    sizes: dict[str, int] = {}

    def weigh() -> None:
        here = [each for each in table.room.members if not each.gone]
        assert {len(each.receipts) for each in here} == {3}
        assert {len(each.name) for each in here} == {12}
        phase = "over" if table.over else table.question.phase
        size = len(store.dump(table.room).encode())
        sizes[phase] = max(size, sizes.get(phase, 0))

    while not table.over:
        weigh()
        if course == "leave" and len(table.state.active) > 3:
            table.leave(table.author)
        elif course == "publish":
            table.publish()
        else:
            table.wait()
        weigh()
        for number, player in enumerate(table.voters):
            table.vote(player, "ab"[number % 2])
            weigh()
        table.wait()
    weigh()
    assert set(sizes) == {"author", "vote", "reveal", "over"}
    assert max(sizes.values()) <= LIMIT, sizes
