"""Six people at liar's dice: how they bid, and how the match is told and its dice are checked."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from random import Random
from typing import Any, NamedTuple

from .. import verify
from .table import Action, View
from .voice import Voice

Bid = tuple[int, int]
"""Quantity and face."""


class Temper(NamedTuple):
    """`doubt`: says liar below this chance. `bluff`: how often a bid is pulled out of the air.
    `exact`: may call exact from this chance of a hit."""

    key: str
    doubt: float
    bluff: float
    exact: float


TEMPERS = (
    Temper("counts", doubt=0.35, bluff=0.05, exact=0.30),
    Temper("bluffs", doubt=0.30, bluff=0.60, exact=0.35),
    Temper("trusts", doubt=0.15, bluff=0.10, exact=0.35),
    Temper("doubts", doubt=0.50, bluff=0.15, exact=0.35),
    Temper("exact", doubt=0.25, bluff=0.15, exact=0.15),
    Temper("feeling", doubt=0.40, bluff=0.35, exact=0.25),
)
"""In the order of joining."""
DARES = 0.4
"""How often a good chance of an exact hit is taken."""


def exactly(k: int, unknown: int, p: float) -> float:
    """The chance that just `k` of so many unseen dice count."""
    return comb(unknown, k) * p**k * (1 - p) ** (unknown - k) if 0 <= k <= unknown else 0.0


def at_least(k: int, unknown: int, p: float) -> float:
    return sum(exactly(each, unknown, p) for each in range(max(k, 0), unknown + 1))


def decide(match: View, temper: Temper, rng: Random) -> Action:
    """A legal answer by the odds and the temper."""
    public = match["public"]
    own: list[int] = match["private"]["dice"]
    wild: bool = public["ones_wild"]
    unknown, p = public["dice_in_play"] - len(own), 1 / 3 if wild else 1 / 6
    faces = range(2 if wild else 1, 7)

    def missing(bid: Bid) -> int:
        return bid[0] - sum(die == bid[1] or (wild and die == 1) for die in own)

    def chance(bid: Bid) -> float:
        return at_least(missing(bid), unknown, p)

    if not public["bids"]:
        face = max(faces, key=lambda each: (own.count(each), rng.random()))
        guess = round(unknown * p * rng.uniform(0.2, 0.8)) - missing((0, face))
        return _bid((max(1, guess), face))
    last = public["bids"][-1]
    standing = (last["quantity"], last["face"])
    hit = exactly(missing(standing), unknown, p)
    if public["exact"] and hit >= temper.exact and rng.random() < DARES:
        return {"type": "exact"}
    raises = [(standing[0], face) for face in faces if face > standing[1]]
    if standing[0] < public["dice_in_play"]:
        raises += [(standing[0] + 1, face) for face in faces]
    if not raises or chance(standing) < temper.doubt:
        return {"type": "challenge"}
    if rng.random() < temper.bluff:
        return _bid(rng.choice(raises))
    best = max(raises, key=lambda bid: (round(chance(bid), 2), rng.random()))
    return {"type": "challenge"} if chance(best) < temper.doubt / 2 else _bid(best)


def _bid(bid: Bid) -> Action:
    return {"type": "bid", "quantity": bid[0], "face": bid[1]}


class Script:
    """The match as it was seen: what was told, and what was written down to check it by."""

    game = "liars-dice"
    players = len(TEMPERS)
    hurried = frozenset({"reveal"})
    entropies = True

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self.noted_master: set[str] = set()
        self.noted_rounds: dict[str, str] = {}
        self.reveals: dict[int, dict[str, Any]] = {}
        self._names: dict[int, str] = {}
        self._round = 0
        self._bids = 0
        self._explained = False
        self._revealed = 0
        """The last round whose reveal was told."""

    def tempers(self) -> Sequence[str]:
        return [self.voice.words[f"temper-{temper.key}"] for temper in TEMPERS]

    def lobby(self, view: View) -> None:
        """Every device writes the commitment down for itself."""
        self.noted_master.add(view["room"]["next_commitment"])

    def notice(self, who: int, view: View) -> None:
        """Nothing but what is public is of use."""

    def decide(self, who: int, view: View, rng: Random) -> Action:
        return decide(view["match"], TEMPERS[who], rng)

    # --- the story -------------------------------------------------------------------------------

    def tell(self, view: View) -> None:
        match = view["match"]
        public = match["public"]
        self._names = {each["seat"]: each["name"] for each in view["room"]["members"]}
        if self._round == 0:
            clockwise = self.voice.listed([self._names[seat] for seat in sorted(self._names)])
            self.voice.say("seats", players=clockwise)
        if match["phase"] == "turn":
            for row in public["fairness"]["rounds"]:
                self.noted_rounds.setdefault(str(row["round"]), row["commitment"])
        if public["round"] < self._round:
            return
        if public["round"] > self._round:
            self._open_round(public)
        for bid in public["bids"][self._bids :]:
            said = self.voice.text(
                "bid", name=self._names[bid["seat"]], bid=self._dice(bid["quantity"], bid["face"])
            )
            self.voice.show(said, indent=2)
        self._bids = max(self._bids, len(public["bids"]))
        if public["reveal"] is not None and self._revealed < self._round:
            self._reveal(public)

    def _open_round(self, public: Any) -> None:
        self._round, self._bids = public["round"], 0
        alive = [each for each in public["players"] if each["alive"]]
        sealed = public["fairness"]["rounds"][-1]["commitment"]
        first = public["bids"][0]["seat"] if public["bids"] else public["turn"]
        self.voice.line()
        self.voice.say(
            "round",
            style="strong",
            round=self._round,
            dice=public["dice_in_play"],
            cups=self.voice.number(len(alive)),
            sealed=sealed[:12],
            name=self._names[first],
        )

    def _dice(self, quantity: int, face: int) -> str:
        """Seven threes."""
        name = self.voice.words["faces"][face - 1]["one" if quantity == 1 else "other"]
        return f"{self.voice.number(quantity)} {name}"

    def _reveal(self, public: Any) -> None:
        reveal, say = public["reveal"], self.voice.say
        self._revealed = self._round
        self.reveals[self._round] = {key: public[key] for key in public if key != "fairness"}
        kind, name = reveal["kind"], self._names[reveal["caller"]]
        say(kind, indent=2, name=name)
        if reveal["dice"]:
            cups = [
                f"{self._names[int(seat)]} {' '.join(map(str, sorted(cup)))}"
                for seat, cup in reveal["dice"].items()
            ]
            say("cups", indent=2)
            self.voice.row(cups, indent=4)
            self._verdict(reveal)
        for shot in reveal["shots"]:
            self._shot(shot, public)
        if reveal["shots"] and not self._explained:
            self._explained = True
            say("chambers", indent=2, style="faint")
        self._left(public)

    def _verdict(self, reveal: Any) -> None:
        """What was counted, and who loses by it."""
        bid, count = reveal["bid"], reveal["count"]
        values: dict[str, Any] = {
            "count": self._dice(count, bid["face"]),
            "bid": self.voice.number(bid["quantity"]),
            "bid_in_full": self._dice(bid["quantity"], bid["face"]),
            "bidder": self._names[bid["seat"]],
            "caller": self._names[reveal["caller"]],
        }
        if reveal["kind"] == "exact":
            key = "exact-hit" if count == bid["quantity"] else "exact-missed"
        else:
            key = "true" if count >= bid["quantity"] else "bluff"
        self.voice.say(key, indent=2, **values)

    def _shot(self, shot: Any, public: Any) -> None:
        position = public["players"][shot["seat"]]["position"]
        self.voice.say(
            "dead" if shot["dead"] else "alive",
            indent=2,
            style="bad" if shot["dead"] else "good",
            name=self._names[shot["seat"]],
            bullets=self.voice.plural("bullets", shot["bullets"]),
            chamber=shot["chamber"],
            position=position,
        )

    def _left(self, public: Any) -> None:
        """Who is alive and how many bullets they carry, whenever somebody has died."""
        if not any(shot["dead"] for shot in public["reveal"]["shots"]):
            return
        left = [
            f"{self._names[each['seat']]} {each['bullets']}"
            for each in public["players"]
            if each["alive"]
        ]
        self.voice.say("left", indent=2, players=", ".join(left))

    # --- the end ---------------------------------------------------------------------------------

    def record(self, view: View) -> dict[str, Any]:
        """What was published, as `infra.local.verify` reads it."""
        match = view["match"]
        return {
            "code": view["room"]["code"],
            "match": match["number"],
            "game": match["game"],
            "settings": view["room"]["settings"],
            "outcome": match["outcome"],
            "public": match["public"],
            "reveals": [self.reveals[number] for number in sorted(self.reveals)],
            "noted": {
                "next_commitment": " / ".join(sorted(self.noted_master)),
                "rounds": self.noted_rounds,
            },
        }

    def end(self, view: View) -> bool:
        self.voice.line()
        self.voice.say("check-title", style="strong")
        self.voice.say("check-how")
        record = verify.read(self.record(view))
        checks = verify.check(record)
        self.voice.line()
        labels = verify.words(self.voice.locale)
        for line in verify.table(record, checks, labels):
            self.voice.line(line)
        for sentence in verify.differences(record, checks, labels):
            self.voice.show(sentence, style="bad")
        counted = verify.totals(checks)
        self.voice.line()
        self.voice.say(
            "checked",
            rounds=len(record.rows),
            dice=counted["dice"],
            chambers=counted["chambers"],
        )
        missed = len(record.rows) - len(self.reveals)
        if missed:
            self.voice.say("missed", style="bad", rounds=missed)
        return verify.verified(checks) and record.master is not None and not missed
