"""Everything that a record allows to work out again, compared with what it says; and what it does
not allow. The rules are those of RULES.md (LD-2 to LD-9), a second time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .recipe import (
    CHAMBERS,
    DICE,
    FACES,
    chamber_of,
    dice_of,
    entropy_digest,
    root_of,
    round_seed,
    sha256,
)
from .record import CALLS, Bid, Player, Record, Reveal, Row, Shot, Table

WILD = 1
MOST_BULLETS = CHAMBERS


class Check(NamedTuple):
    """One thing worked out again. `round` is None for what concerns the whole match."""

    round: int | None
    what: str
    ok: bool
    number: int = 1
    """How many values were compared."""
    seat: int | None = None
    published: Any = None
    expected: Any = None


class Gap(NamedTuple):
    """Something that could not be checked, by its key among the words."""

    key: str
    rounds: Sequence[int] = ()
    value: str = ""


def verified(checks: Sequence[Check]) -> bool:
    """Something was checked, and all of it is as published."""
    return bool(checks) and all(each.ok for each in checks)


def totals(checks: Sequence[Check]) -> Counter[str]:
    """How many values were compared, by kind."""
    counted: Counter[str] = Counter()
    for each in checks:
        counted[each.what] += each.number
    return counted


def check(record: Record) -> list[Check]:
    """Everything that the record allows to work out again."""
    root = None
    if record.master is not None:
        root = root_of(record.master, record.code, record.match, entropy_digest(record.entropy))
    checks = [*_check_promises(record), *_check_people(record), *_check_files(record)]
    for row in record.rows:
        checks += _check_row(record, row, root)
    seeds = _seeds(record, root)
    for table in record.tables:
        checks += _check_table(record, table, seeds.get(table.round))
    for before, after in zip(record.tables, record.tables[1:], strict=False):
        checks += _check_onward(before, after)
    if record.outcome is not None:
        checks += _check_outcome(record)
    return checks


def _same(
    round_: int | None,
    what: str,
    published: Any,
    expected: Any,
    *,
    seat: int | None = None,
    number: int = 1,
) -> Check:
    return Check(round_, what, published == expected, number, seat, published, expected)


# --- the fairness data ---------------------------------------------------------------------------


def _check_promises(record: Record) -> Iterator[Check]:
    for master in record.noted.masters:
        yield _same(None, "noted", record.master_commitment, master)
    if record.noted.entropy is not None:
        given = record.entropy.values()
        own = record.entropy.get(record.me, "") if record.me else None
        if own is None:
            own = record.noted.entropy if record.noted.entropy in given else ""
        yield _same(None, "entropy", own, record.noted.entropy)
    if record.master is not None:
        yield _same(None, "master", record.master_commitment, sha256(record.master))
    first = record.round - 1
    if record.outcome is not None and record.outcome.completed:
        first = 1
    # a match that broke off lists what a running one does
    wanted = range(max(1, first), record.round + 1)
    whole = len(record.listed) == len(wanted) and list(record.listed) == list(wanted)
    yield Check(None, "complete", whole, 1, None, list(record.listed), wanted)


def _check_people(record: Record) -> Iterator[Check]:
    """Every seat is somebody's, and everybody's entropy counts."""
    seats = sorted(record.tables[-1].players)
    if record.people is None:
        yield _same(None, "givers", len(record.entropy), len(seats))
        return
    yield _same(None, "seats", seats, sorted(record.names))
    yield _same(None, "people", sorted(record.entropy), sorted(record.people))


def _check_files(record: Record) -> Iterator[Check]:
    """The earlier files say the same of what does not change."""
    rows = {row.number: row for row in record.rows}
    for other in record.earlier:
        yield _same(None, "sealed", record.master_commitment, other.master_commitment)
        yield _same(None, "digest", entropy_digest(record.entropy), entropy_digest(other.entropy))
        for row in other.rows:
            if row.seed is not None:
                yield _same(row.number, "sealed", rows[row.number].commitment, row.commitment)


def _check_row(record: Record, row: Row, root: bytes | None) -> Iterator[Check]:
    for noted in record.noted.rounds.get(row.number, ()):
        if row.seed is not None or row.commitment != noted:
            yield _same(row.number, "noted", row.commitment, noted)
    if row.seed is None:
        called = any(
            table.round == row.number and table.reveal is not None and table.reveal.kind in CALLS
            for table in record.tables
        )
        if called or root is not None:
            yield Check(row.number, "seed", False)
        return
    yield _same(row.number, "commitment", row.commitment, sha256(row.seed))
    if root is not None:
        wanted = round_seed(root, row.number)
        yield _same(row.number, "root", row.seed.hex(), wanted.hex())


def _seeds(record: Record, root: bytes | None) -> dict[int, bytes]:
    """By round: as published, else from the root."""
    seeds: dict[int, bytes] = {}
    if root is not None:
        seeds = {table.round: round_seed(root, table.round) for table in record.tables}
    return seeds | {row.number: row.seed for row in record.rows if row.seed is not None}


# --- a round -------------------------------------------------------------------------------------


def _check_table(record: Record, table: Table, seed: bytes | None) -> Iterator[Check]:
    rolled, settings = _rolled(table), record.settings
    if settings is not None:
        yield _same(table.round, "ones-wild", table.ones_wild, settings.ones_wild)
        yield _same(table.round, "exact", table.exact, settings.exact)
    yield _same(table.round, "in-play", table.dice_in_play, DICE * len(rolled))
    for seat in rolled:
        yield _same(table.round, "rolled", table.players[seat].dice, DICE, seat=seat)
    yield from _check_bids(table)
    if seed is not None and table.own is not None:
        seat, cup = table.own
        wanted = dice_of(seed, seat) if seat in rolled else []
        yield _same(table.round, "own", list(cup), wanted, seat=seat, number=len(cup))
    if table.reveal is not None:
        yield from _check_reveal(record, table, table.reveal, seed)
    yield from _check_the_living(table, seed)
    yield from _check_positions(table)
    yield from _check_turn(table, seed)


def _rolled(table: Table) -> list[int]:
    """The seats that had dice this round."""
    return sorted(seat for seat, each in table.players.items() if each.dice)


def _check_bids(table: Table) -> Iterator[Check]:
    """LD-2, LD-4: each a raise, of a face and a quantity that there are, by whose turn it was."""
    before: Bid | None = None
    for bid in table.bids:
        there = 1 <= bid.quantity <= DICE * len(_rolled(table))
        there &= (2 if table.ones_wild else 1) <= bid.face <= FACES
        raised = before is None or bid[1:] > before[1:]
        said = f"{bid.quantity}×{bid.face}"
        above = "-" if before is None else f"> {before.quantity}×{before.face}"
        yield Check(table.round, "bids", there and raised, 1, bid.seat, said, above)
        nexts = _rolled(table) if before is None else _next_to(table, before.seat)
        yield Check(table.round, "bidder", bid.seat in nexts, 1, None, [bid.seat], nexts[-1:])
        before = bid


def _check_reveal(
    record: Record, table: Table, reveal: Reveal, seed: bytes | None
) -> Iterator[Check]:
    number, called, rolled = table.round, reveal.kind in CALLS, _rolled(table)
    bid = table.bids[-1] if table.bids else None
    yield _same(number, "cups", sorted(reveal.dice), rolled if called else [])
    if seed is not None:
        for seat, cup in reveal.dice.items():
            yield _same(number, "dice", list(cup), dice_of(seed, seat), seat=seat, number=len(cup))
        for shot in reveal.shots:
            wanted = chamber_of(seed, shot.seat)
            yield _same(number, "chambers", shot.chamber, wanted, seat=shot.seat)
    for shot in reveal.shots:
        yield _same(number, "dead", shot.dead, _dies(shot, seed), seat=shot.seat)
    yield _same(number, "bid", _told(reveal.bid), _told(bid))
    yield _same(number, "face", reveal.face, bid.face if called and bid else None)
    yield _same(number, "count", reveal.count, _count(table, reveal, seed) if called else None)
    if reveal.kind == "exact":
        yield Check(number, "kind", table.exact, 1, None, "exact", "challenge")
    callers = _callers(table, reveal)
    yield Check(number, "caller", reveal.caller in callers, 1, None, [reveal.caller], callers[-1:])
    yield _same(number, "fired", sorted(s.seat for s in reveal.shots), _who_fires(table, seed))
    yield from _check_bullets(record, table, reveal, seed)


def _told(bid: Bid | None) -> str | None:
    return None if bid is None else f"{bid.quantity}×{bid.face} ({bid.seat})"


def _count(table: Table, reveal: Reveal, seed: bytes | None) -> int | None:
    """LD-4, LD-5: the dice of the round that show the face that was bid, or count as it."""
    if not table.bids:
        return None
    face = table.bids[-1].face
    wanted = {face, WILD} if table.ones_wild else {face}
    if seed is None:
        return sum(die in wanted for cup in reveal.dice.values() for die in cup)
    return sum(die in wanted for seat in _rolled(table) for die in dice_of(seed, seat))


def _dies(shot: Shot, seed: bytes | None) -> bool:
    """LD-7."""
    return (shot.chamber if seed is None else chamber_of(seed, shot.seat)) <= shot.bullets


def _callers(table: Table, reveal: Reveal) -> list[int]:
    """Who may have ended the round, the surest last."""
    if not table.bids:
        return [] if reveal.kind in CALLS else _rolled(table)
    bidder = table.bids[-1].seat
    if reveal.kind == "void" and reveal.caller == bidder:  # who left made the standing bid
        return [bidder]
    return _next_to(table, bidder)


def _next_to(table: Table, seat: int) -> list[int]:
    """Who may have been to speak after `seat`, the surest last: between the two there may be seats
    that were given up, nobody knows when."""
    found = []
    fired = () if table.reveal is None else {shot.seat for shot in table.reveal.shots}
    for each in _clockwise(table, seat):
        if table.players[each].dice:
            found.append(each)
            if table.players[each].alive or each in fired:
                break
    return found


def _clockwise(table: Table, seat: int) -> list[int]:
    """The other seats, the next first."""
    seats = sorted(each for each in table.players if each != seat)
    return [each for each in seats if each > seat] + [each for each in seats if each < seat]


def _is_hit(table: Table, reveal: Reveal, seed: bytes | None) -> bool:
    """LD-6: exact, and it was."""
    bid = table.bids[-1] if table.bids else None
    if reveal.kind != "exact" or bid is None:
        return False
    return _count(table, reveal, seed) == bid.quantity


def _loser(table: Table, reveal: Reveal, seed: bytes | None) -> int:
    """LD-5, LD-6: who has lost the round, where there was no exact hit; who ended it, else."""
    bid = table.bids[-1] if table.bids else None
    if reveal.kind != "challenge" or bid is None:
        return reveal.caller
    return reveal.caller if (_count(table, reveal, seed) or 0) >= bid.quantity else bid.seat


def _who_fires(table: Table, seed: bytes | None) -> list[int]:
    """LD-3, LD-5, LD-6. Who has left may have fired before, or not."""
    reveal = table.reveal
    if reveal is None or reveal.kind == "void":
        return []
    if not _is_hit(table, reveal, seed):
        return [_loser(table, reveal, seed)]
    fired = {shot.seat for shot in reveal.shots}
    others = [seat for seat in _rolled(table) if seat != reveal.caller]
    return [seat for seat in others if table.players[seat].alive or seat in fired]


# --- bullets -------------------------------------------------------------------------------------


def _check_bullets(
    record: Record, table: Table, reveal: Reveal, seed: bytes | None
) -> Iterator[Check]:
    """LD-7: as many as before and what was loaded, as far as the files show before."""
    before = bullets_before(record, table)
    shots = {shot.seat: shot for shot in reveal.shots}
    for seat, shot in shots.items():
        loads: Collection[int] | None = None
        if reveal.kind == "timeout":
            loads = [MOST_BULLETS]
        elif before is not None and _is_hit(table, reveal, seed):
            loads = [1]
        elif before is not None:
            loads = _loads(record, table, seat, before.get(seat, 0))
        if loads is not None:
            was = 0 if before is None else before.get(seat, 0)
            wanted = sorted({min(MOST_BULLETS, was + load) for load in loads})
            yield _among(table.round, "loaded", shot.bullets, wanted, seat)
    for seat, player in table.players.items():
        if seat in shots:
            yield _same(table.round, "bullets", player.bullets, shots[seat].bullets, seat=seat)
        elif before is not None:
            yield _same(table.round, "bullets", player.bullets, before.get(seat, 0), seat=seat)


def _among(
    round_: int, what: str, published: Any, wanted: Sequence[Any], seat: int | None
) -> Check:
    """One of a few."""
    return Check(round_, what, published in wanted, 1, seat, published, list(wanted))


def bullets_before(record: Record, table: Table) -> Mapping[int, int] | None:
    """By seat, before the shots of this round; None if no file shows it."""
    if table.round == 1:
        return dict.fromkeys(table.players, 0)
    for other in record.tables:
        early = other.round == table.round and other.reveal is None
        late = other.round == table.round - 1 and other.reveal is not None
        if early or late:
            return {seat: each.bullets for seat, each in other.players.items()}
    return None


def _loads(record: Record, table: Table, seat: int, before: int) -> Collection[int]:
    """What a defeat may load, by what the files show."""
    first = range(1, CHAMBERS) if record.settings is None else [record.settings.bullets]
    if before == 0:
        return first
    earlier = {
        each.round: each
        for each in record.tables
        if each.round < table.round and each.reveal is not None
    }
    if len(earlier) < table.round - 1:
        return {1, *first}
    defeated = any(_defeated(each) == seat for each in earlier.values())
    return [1] if defeated else first


def _defeated(table: Table) -> int | None:
    """Who lost a round by a call, by the dice as shown."""
    reveal = table.reveal
    if reveal is None or reveal.kind not in CALLS or _is_hit(table, reveal, None):
        return None
    return _loser(table, reveal, None)


# --- the living and the dead ---------------------------------------------------------------------


def _check_the_living(table: Table, seed: bytes | None) -> Iterator[Check]:
    """LD-9: dead is who had no dice, whom a shot has killed, or who has left."""
    shots = {} if table.reveal is None else {shot.seat: shot for shot in table.reveal.shots}
    for seat, player in table.players.items():
        alive = player.alive
        if not player.dice or (seat in shots and _dies(shots[seat], seed)):
            alive = False
        elif table.left is not None and not player.alive:
            alive = seat not in table.left
        yield _same(table.round, "alive", player.alive, alive, seat=seat)


def _check_positions(table: Table) -> Iterator[Check]:
    """LD-9: who dies at the same instant shares position survivors + 1."""
    living = [seat for seat, each in table.players.items() if each.alive]
    for seat in living:
        bullets = table.players[seat].bullets
        if bullets >= MOST_BULLETS:  # nobody survives so many
            yield _among(table.round, "bullets", bullets, range(MOST_BULLETS), seat)
        wanted = 1 if len(living) == 1 else None
        yield _same(table.round, "position", table.players[seat].position, wanted, seat=seat)
    better = len(living)
    for group in _deaths(table):
        for seat in group:
            published = table.players[seat].position
            yield _same(table.round, "position", published, better + 1, seat=seat)
        better += len(group)


def _deaths(table: Table) -> list[list[int]]:
    """Who died together, the last first, by the positions as published where only they tell."""

    def place(player: Player) -> int:
        return player.position or 0

    dead = [each for each in table.players.values() if not each.alive]
    shots = () if table.reveal is None else table.reveal.shots
    shot = {each.seat for each in shots if each.dead}
    now = [each for each in dead if each.dice and each.seat not in shot]
    groups = [[each] for each in now]  # nobody leaves together
    if together := [each for each in dead if each.seat in shot]:
        groups.append(together)
    groups.sort(key=lambda group: min(map(place, group)))
    long_ago: dict[int, list[Player]] = {}
    for each in sorted(dead, key=place):
        if not each.dice:
            long_ago.setdefault(place(each), []).append(each)
    return [[each.seat for each in group] for group in (*groups, *long_ago.values())]


def _check_turn(table: Table, seed: bytes | None) -> Iterator[Check]:
    """LD-8, LD-9: who begins the next round, or is to speak."""
    if table.over:
        yield _same(table.round, "turn", table.turn, None)
        return
    reveal = table.reveal
    if reveal is not None:
        after = _loser(table, reveal, seed)
        order = [after, *_clockwise(table, after)]
    elif table.bids:
        order = _clockwise(table, table.bids[-1].seat)
    else:
        return
    living = [each for each in order if each in table.players and table.players[each].alive]
    yield _same(table.round, "turn", table.turn, living[0] if living else None)


def _check_onward(before: Table, after: Table) -> Iterator[Check]:
    """From one file to the next nobody rises, and no bullet is taken out."""
    for seat, was in before.players.items():
        now = after.players.get(seat)
        if now is None:
            yield Check(after.round, "alive", False, 1, seat, None, was.alive)
            continue
        if not was.alive:
            yield _same(after.round, "position", now.position, was.position, seat=seat)
        if now.bullets < was.bullets:
            yield _same(after.round, "bullets", now.bullets, was.bullets, seat=seat)


def _check_outcome(record: Record) -> Iterator[Check]:
    outcome, players = record.outcome, record.tables[-1].players
    assert outcome is not None
    if not outcome.completed:  # the match broke off: nobody has a place
        yield _same(None, "order", [seat for seat, _ in outcome.standings], [])
        yield _same(None, "winners", list(outcome.winners), [])
        return
    order = sorted(players, key=lambda seat: (players[seat].position or 0, seat))
    yield _same(None, "order", [seat for seat, _ in outcome.standings], order)
    for seat, position in outcome.standings:
        if seat in players:
            yield _same(None, "standing", position, players[seat].position, seat=seat)
    living = [seat for seat, each in players.items() if each.alive]
    yield _same(None, "winners", list(outcome.winners), living)
    yield Check(None, "survivors", len(living) == 1, 1, None, len(living), 1)


# --- what could not be checked -------------------------------------------------------------------


def unchecked(record: Record) -> list[Gap]:
    """What the record does not allow to check."""
    revealed = {each.round: each for each in record.tables if each.reveal is not None}
    gaps = []
    if not record.noted.masters:
        gaps.append(Gap("noted-master"))
    opened = [row.number for row in record.rows if row.seed is not None]
    if rounds := [number for number in opened if number not in record.noted.rounds]:
        gaps.append(Gap("noted-rounds", rounds))
    if record.noted.entropy is None and record.me is not None and record.me in record.entropy:
        own = record.entropy[record.me]
        gaps.append(Gap("entropy" if own else "no-entropy", value=own))
    missing = [number for number in range(1, record.round) if number not in revealed]
    if missing:
        gaps.append(Gap("missing", missing))
    if record.outcome is not None and record.round not in revealed:
        gaps.append(Gap("unshown", [record.round]))
    void = [
        number
        for number, table in revealed.items()
        if table.reveal is not None and table.reveal.kind not in CALLS
    ]
    if void:
        gaps.append(Gap("void", void))
    if record.master is None:
        gaps.append(Gap("secret"))
    if rounds := [
        number
        for number, table in revealed.items()
        if bullets_before(record, table) is None and table.reveal and table.reveal.kind != "void"
    ]:
        gaps.append(Gap("loaded", rounds))
    elif record.settings is None and any(_defeated(each) is not None for each in revealed.values()):
        gaps.append(Gap("first-load"))
    if record.outcome is not None and not record.outcome.completed:
        gaps.append(Gap("broke-off"))
    return gaps
