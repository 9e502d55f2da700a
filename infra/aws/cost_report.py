"""The cost model in words and tables: what `make cost` prints, and docs/cost.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from chalicelib.kernel import view
from chalicelib.limits import ENTERED_ROOMS
from infra.aws import cost
from infra.aws.cost import Items, Model, Table
from infra.aws.played import Played

MATCH_MOST: Final = {False: 0.0020, True: 0.0012}
"""Dollars for six at liar's dice for a quarter of an hour: polling, and woken by push."""
IDLE_MOST: Final = {True: 0.03, False: 1.50}
"""Dollars for a month in which nobody plays: within what is always free, and without."""
BEAT_MOST: Final = 0.006
"""Dollars for an hour of a beat."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|-|{'-:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def items(found: Items, digits: int) -> list[list[str]]:
    rows = [[name, f"{value:,.{digits}f}"] for name, value in found.items()]
    return [*rows, ["**sum**", f"**{sum(found.values()):,.{digits}f}**"]]


def side_by_side(names: Sequence[str], found: Sequence[Items], digits: int) -> str:
    every = dict.fromkeys(name for each in found for name in each)
    rows = [
        [name, *(f"{each.get(name, 0.0):,.{digits}f}" for each in found)]
        for name in every
        if any(each.get(name, 0.0) for each in found)
    ]
    sums = [f"**{sum(each.values()):,.{digits}f}**" for each in found]
    return table(["dollars", *names], [*rows, ["**sum**", *sums]])


def named(table: Table, played: Played) -> str:
    clients = "push" if played.pushed else "polling"
    return ", ".join(filter(None, (table.game, str(table.players), table.like, clients)))


def verdict(what: str, value: float, most: float) -> list[str]:
    return [what, f"${most:.4f}", f"${value:.4f}", "kept" if value <= most else "**missed**"]


def spared(polling: Played, pushed: Played) -> float:
    """Polls that a push makes needless."""
    return (polling.polls - pushed.polls) / sum(kind.pushes for kind in pushed.kinds.values())


def quarter(all_: Sequence[Played]) -> list[Played]:
    """The match whose cost was promised, polling and woken by push."""
    at = cost.MATCHES.index(cost.QUARTER) * 2
    return list(all_[at : at + 2])


def document(model: Model, all_: Sequence[Played], measured: dict[str, Any]) -> str:
    """The whole page."""
    parts = [
        INTRODUCTION.format(**cost.TABLE, measured=measured["dated"]),
        promised(model, all_),
        "## A match\n\n" + matches(model, all_),
        "## The quarter of an hour, itemised\n\n" + itemised(model, all_),
        "## The beat\n\n" + beat(model),
        "## A month in which nobody plays\n\n" + idle(model),
        "## The worst month that a flood can cause\n\n" + flood(model, all_),
        "## What is assumed\n\n" + assumed(all_, measured),
    ]
    return "\n\n".join(parts) + "\n"


INTRODUCTION: Final = """# What it costs

Written, and printed, by `make cost`, which plays whole matches through the app in one process,
with clients that poll when the server tells them to and send back ETags, counts what that takes,
and prices it: {unit}, {region}, public prices as of {dated} (`infra/aws/prices.json`, with
sources), milliseconds as of {measured} (`infra/aws/measured.json`). A test holds the figures below
to the model's."""


def promised(model: Model, all_: Sequence[Played]) -> str:
    polling, pushed = (sum(model.match(each).values()) for each in quarter(all_))
    free, charged = (sum(model.idle_month(free=free).values()) for free in (True, False))
    quiet, busy = (sum(model.beat_hour(busy=busy).values()) for busy in (False, True))
    six = "six at liar's dice for a quarter of an hour, polling"
    rows = [
        verdict(six, polling, MATCH_MOST[False]),
        verdict("the same, woken by push", pushed, MATCH_MOST[True]),
        verdict("an idle month, within what is always free", free, IDLE_MOST[True]),
        verdict("an idle month, nothing free", charged, IDLE_MOST[False]),
        verdict("an hour of the beat, all of it", quiet, BEAT_MOST),
        verdict("the same, with something due whenever it hands over", busy, BEAT_MOST),
    ]
    return f"""{table(["what", "promised at most", "is", "promise"], rows)}

One hour of 128 MB is $0.0060 by itself. So a beat goes home before its successor comes, unless
something falls due until then; with dozens of matches live, something always does, and it stays
until it is relieved. All live matches share it."""


def matches(model: Model, all_: Sequence[Played]) -> str:
    rows = []
    for number, each in enumerate(all_):
        marginal = sum(model.match(each).values())
        rows.append(
            [
                named(cost.MATCHES[number // 2], each),
                f"{each.seconds / 60:.1f}",
                f"{each.kinds['action'].count:,}",
                f"{each.polls:,}",
                f"{each.kinds['poll 304'].count:,}",
                f"{sum(kind.pushes for kind in each.kinds.values()):,}",
                f"{marginal:.5f}",
                f"{sum(model.alone(each).values()):.5f}",
                f"{marginal * 1_000:.2f}",
            ]
        )
    at = cost.MATCHES.index(cost.QUARTER) * 2 + 2
    dense = [sum(model.match(each).values()) for each in all_[at : at + 2]]
    head = ["game, players, clients", "minutes", "actions", "polls", "of these 304"]
    head += ["pushes", "marginal", "alone, with the beat", "per 1,000"]
    return f"""{table(head, rows)}

*Marginal*: while others play too. *Alone*: the beat beats for this match, and functions start
for it. Of the two tables of six at liar's dice, *people* is the promised quarter of an hour: they
think for 7 to 18 s and call one bid in five a lie out of hand. *Bots* bid on and on, at 1.5 to
5.5 s a move: three times the moves in the same time. That is ${dense[0]:.4f} polling and
${dense[1]:.4f} woken by push, where the promise to people is at most ${MATCH_MOST[False]:.4f} and
${MATCH_MOST[True]:.4f}; half of what it costs more is writes, of whose four units a move two are an
index's.

A push costs about as much as three polls. In the quarter of an hour each makes
{spared(*quarter(all_)):.1f} polls needless, so push is much the cheaper; in crossed coordinates,
where most of the time there is little to ask for, {spared(*all_[-2:]):.1f}, and push costs about
what it saves."""


def itemised(model: Model, all_: Sequence[Played]) -> str:
    polling, pushed = quarter(all_)
    prices = [{k: v * 1_000 for k, v in model.match(each).items()} for each in (polling, pushed)]
    rows = [
        [
            name,
            f"{kind.count:,}",
            f"{kind.bill.reads / kind.count:.1f}",
            f"{kind.bill.writes / kind.count:.1f}",
            f"{kind.bill.indexed / kind.count:.1f}",
            f"{model.milliseconds(name, kind) / kind.count:.1f}",
            f"{kind.log_bytes / kind.count:.0f}",
            f"{kind.sent_bytes / kind.count:,.0f}",
        ]
        for name, kind in polling.kinds.items()
        if kind.count
    ]
    head = ["each, polling", "times", "read units", "write units", "of these for indexes"]
    head += ["milliseconds", "log bytes", "bytes sent"]
    return f"""For a thousand such matches:

{side_by_side(["polling", "push"], prices, 3)}

{table(head, rows)}

`fire` is the beat's part, whose time is priced with the beat. The poll interval is
{view.OTHERS_MOVE_MS / 1_000:.0f} s while others move, {view.MY_MOVE_MS / 1_000:.0f} s on one's
own move, {view.LOBBY_MS / 1_000:.0f} s in the lobby, and {view.PUSHED_MS / 1_000:.0f} s for
whoever is woken by push."""


def beat(model: Model) -> str:
    found = [model.beat_hour(busy=busy) for busy in (False, True)]
    return "An hour, with a match live, without what it fires:\n\n" + side_by_side(
        ["nothing due at the handover", "something due at every handover"], found, 5
    )


def idle(model: Model) -> str:
    found = [model.idle_month(free=free) for free in (False, True)]
    return side_by_side(["nothing free", "within what is always free"], found, 4)


def flood(model: Model, all_: Sequence[Played]) -> str:
    large = max(all_, key=lambda each: each.room_bytes)
    found = {
        "unsigned": model.flood("refused", cost.unsigned()),
        "signed, polls": model.flood("poll 200", large.kinds["poll 200"]),
        "signed, new rooms": model.flood("create", large.kinds["create"]),
        "signed, moves in rooms of 8 KB": model.flood(
            "action", cost.largest(large.kinds["action"])
        ),
    }
    beats = {
        "beat": cost.BEAT_CONCURRENCY
        * sum(model.beat_hour(busy=True).values())
        * cost.MONTH_SECONDS
        / 3_600
    }
    for name in found:
        if name != "unsigned":
            found[name] = cost.total(found[name], beats)
    inbox = 2 + 2 * ENTERED_ROOMS
    dearest = inbox * cost.PRICE["dynamodb_million_reads"] / cost.MILLION
    dearest *= cost.RATE * cost.MONTH_SECONDS
    busy = cost.compute(cost.API_CONCURRENCY * cost.MONTH_SECONDS * 1_000, cost.API_GB)
    return f"""With `ApiConcurrency={cost.API_CONCURRENCY}` a function URL lets in {cost.RATE}
requests a second, what is turned away costs nothing, and ten functions that are always busy are
${busy:,.0f} a month at most. Thirty days of it, day and night:

{side_by_side(list(found), list(found.values()), 0)}

Nobody can keep up the signed ones as priced: a player makes 60 rooms an hour and then gets 429,
and a move is a write only if the rules allow it; keys are free, though, so this is the bound.
Dearest to read is the inbox of somebody in {ENTERED_ROOMS} rooms of 8 KB, all made and filled
before: {inbox} units a request, whose reads alone are ${dearest:,.0f}.
The budget's mail comes at 80 % of $10, and `ApiConcurrency=1` or a deleted URL ends it."""


def assumed(all_: Sequence[Played], measured: dict[str, Any]) -> str:
    largest = max(each.room_bytes for each in all_)
    return f"""- The processor's time is measured here ({measured["where"]}; a poll's handler
  {measured["handler_ms"]["poll 304"]:.2f} ms, each call by boto3 {measured["call_ms"]:.2f} ms)
  and multiplied by {cost.PROCESSOR_MB}/{cost.API_MB} for the API,
  {cost.PROCESSOR_MB}/{cost.BEAT_MB} for the beat: the share of a processor that Lambda gives. A
  call of DynamoDB is waited for {cost.CALL_MS:.0f} ms, SNS {cost.PUSH_MS:.0f} ms, Lambda
  {cost.WAKE_MS:.0f} ms.
- A start takes {measured["start_ms"]:,.0f} ms, billed; one request in {cost.REQUESTS_A_START:,}
  meets one, and a match alone {cost.STARTS_ALONE}. The idle beat is started anew hourly.
- Units follow from the size of what the real adapters write: 4 KB a strongly consistent read, 1
  KB a write, an index entry that moves two writes. The largest room was {largest:,} bytes.
- A month has 30 days. Storage is left out: a room is 2 KB for a day, a kept match about 3 KB for
  good, so a million matches are $0.75 a month with their backups $1.35. Custom metrics are
  within the ten free ones, or $0.30 each in months in which they have a value. Transfer is
  charged though its first 100 GB a month are free.
- People think as long as written in `infra/aws/cost.py`; what they choose is a bot's choice."""
