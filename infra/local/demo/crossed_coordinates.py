"""Eight people at crossed coordinates: how they read and vote, and how the match is told.

They have no atlas. Each compares the words of the own fragment with the descriptions of the
places, the table talks and mostly agrees, and a signal whose traits nobody else names is suspect.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from random import Random
from typing import Any

from .table import Action, View
from .voice import Voice

FOLLOWS = 0.75
"""How often a player votes as the table leans rather than as the own fragment does."""
ENOUGH = 4
"""Letters that must agree for words to be akin."""

PLACE_POINTS, NOISE_POINTS, ALIGNMENT_POINTS = 200, 100, 100
MOST_A_ROUND, ROUNDS = 400, 4


def pieces(text: str) -> set[str]:
    """Runs of letters by which akin words meet, without accents."""
    plain = unicodedata.normalize("NFD", text.lower())
    words = re.findall(r"[a-z]+", "".join(c for c in plain if not unicodedata.combining(c)))
    return {
        word[start : start + ENOUGH]
        for word in words
        if len(word) >= ENOUGH
        for start in range(len(word) - ENOUGH + 1)
    }


def likeness(text: str, candidates: Any) -> dict[str, float]:
    """By place, how much of its description the text brings to mind."""
    described = {
        each["place"]: pieces(f"{each['name']} {each['description']}") for each in candidates
    }
    shared = Counter(piece for known in described.values() for piece in known)
    heard = pieces(text)
    return {
        place: sum(1 / shared[piece] ** 2 for piece in known & heard) / sqrt(len(known) or 1)
        for place, known in described.items()
    }


def signal(private: Any, rng: Random) -> Action:
    """Any two of the own four."""
    own = [each["trait"] for each in private["traits"]]
    return {"type": "signal", "traits": list(rng.choice(list(combinations(own, 2))))}


def suspicion(signals: Any) -> dict[str, int]:
    """By signal, how often the table names its traits: the fewer, the more suspect."""
    named = Counter(trait["trait"] for each in signals for trait in each["traits"])
    return {
        each["signal"]: sum(named[trait["trait"]] for trait in each["traits"]) for each in signals
    }


def bars(voters: int) -> tuple[int, int, int]:
    """The votes that place, noise and alignment take (RULES, CC-8 and CC-9)."""
    return voters // 2 + 1, max(2, -(-voters // 3)), -(-3 * voters // 4)


def scored(voters: int, reveal: Any) -> tuple[int, int, int]:
    """Points for place, noise and alignment from the published totals (RULES, CC-8 and CC-9)."""
    majority, noise_bar, alignment_bar = bars(voters)
    place = _leader(reveal["place_votes"], majority) == reveal["target"]
    noise = _leader(reveal["signal_votes"], noise_bar)
    aligned = reveal["place_votes"][reveal["target"]] >= alignment_bar
    return (
        PLACE_POINTS * place,
        NOISE_POINTS * (noise in reveal["distorted_signals"]),
        ALIGNMENT_POINTS * aligned,
    )


def told(reveal: Any) -> dict[str, Any]:
    """A round's points as its sentences name them."""
    kinds = {kind: reveal[f"{kind}_points"] for kind in ("place", "noise", "alignment")}
    return {**kinds, "points": sum(kinds.values()), "most": MOST_A_ROUND}


def _leader(votes: dict[str, int], bar: int) -> str | None:
    """Which leads alone, with at least `bar` votes."""
    most = max(votes.values(), default=0)
    leaders = [each for each, count in votes.items() if count == most]
    return leaders[0] if most >= bar and len(leaders) == 1 else None


class Script:
    """The match as it was seen, and what was said aloud at the table."""

    game = "crossed-coordinates"
    players = 8
    hurried = frozenset({"council", "reveal"})
    entropies = False

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self._said: dict[int, dict[int, str]] = {}
        """By round: by device, the place held to be the target. The council is spoken, off the
        record; the service hears none of it."""
        self._told: set[tuple[int, str]] = set()
        """Round and part of it."""
        self._seats = 0
        self._places: dict[str, str] = {}
        self._revealed: dict[int, Any] = {}

    def tempers(self) -> Sequence[str]:
        return ()

    def lobby(self, view: View) -> None:
        """There is nothing to write down."""

    def notice(self, who: int, view: View) -> None:
        """In the council a player says aloud what place the own fragment brings to mind."""
        match = view["match"]
        said = self._said.setdefault(match["public"]["round"], {})
        if match["phase"] == "council" and who not in said:
            leanings = likeness(match["private"]["fragment"], match["public"]["candidates"])
            said[who] = max(leanings, key=lambda place: leanings[place])

    def decide(self, who: int, view: View, rng: Random) -> Action | None:
        match = view["match"]
        public = match["public"]
        if match["phase"] == "study":
            return {"type": "ready"}
        if match["phase"] == "encode":
            return signal(match["private"], rng)
        said = self._said.get(public["round"], {})
        place = self._lean(said)
        if place is None or rng.random() > FOLLOWS:
            place = said.get(who) or rng.choice(public["candidates"])["place"]
        named = suspicion(public["signals"])
        suspect = min(named, key=lambda each: (named[each], rng.random() * 3), default=None)
        return {"type": "ballot", "place": place, "signal": suspect}

    def _lean(self, said: dict[int, str]) -> str | None:
        """The place that most have named."""
        return Counter(said.values()).most_common(1)[0][0] if said else None

    # --- the story -------------------------------------------------------------------------------

    def tell(self, view: View) -> None:
        match = view["match"]
        public = match["public"]
        self._seats = sum(each["seat"] is not None for each in view["room"]["members"])
        if (public["round"], "reveal") in self._told:
            return
        self._places = {each["place"]: each["name"] for each in public["candidates"]}
        if not self._told:
            self.voice.say("note", style="faint")
        if self._first(public, "round"):
            self._open(public)
        if match["phase"] in ("council", "ballot") and self._first(public, "signals"):
            self._signals(public["signals"])
        if match["phase"] == "ballot" and self._first(public, "ballot"):
            said = Counter(self._said.get(public["round"], {}).values())
            self.voice.say("council", indent=2, said=self._tally(said, self._places))
            self.voice.say("ballot", indent=2)
        if public["reveal"] is not None and self._first(public, "reveal"):
            self._revealed[public["round"]] = public["reveal"]
            self._reveal(public)

    def _first(self, public: Any, what: str) -> bool:
        """Is this told for the first time in this round?"""
        fresh = (public["round"], what) not in self._told
        self._told.add((public["round"], what))
        return fresh

    def _open(self, public: Any) -> None:
        self.voice.line()
        self.voice.say("round", style="strong", round=public["round"], rounds=ROUNDS)
        for each in public["candidates"]:
            self.voice.show(f"{each['name']}. {each['description']}", indent=4)
        self.voice.say("study", indent=2)

    def _pair(self, signal: Any) -> str:
        return " + ".join(trait["text"] for trait in signal["traits"])

    def _signals(self, signals: Any) -> None:
        self.voice.say("signals", indent=2, count=self.voice.number(len(signals)))
        self.voice.row([f"[{self._pair(each)}]" for each in signals], indent=4)

    def _tally(self, votes: dict[str, int], names: dict[str, str]) -> str:
        ranking = sorted(votes.items(), key=lambda each: -each[1])
        return ", ".join(f"{names[each]} {count}" for each, count in ranking if count)

    def _reveal(self, public: Any) -> None:
        reveal, voice = public["reveal"], self.voice
        pairs = {each["signal"]: f"[{self._pair(each)}]" for each in public["signals"]}
        target = self._places[reveal["target"]]
        voice.say("place-votes", indent=2, votes=self._tally(reveal["place_votes"], self._places))
        voice.say("signal-votes", indent=2, votes=self._tally(reveal["signal_votes"], pairs))
        voice.say("target", indent=2, place=target)
        distorted = [pairs[each] for each in reveal["distorted_signals"]]
        voice.say("distorted", indent=2, signals=voice.listed(distorted))
        true = [each for each in reveal["fragments"] if each["place"] == reveal["target"]]
        false = [each for each in reveal["fragments"] if each["place"] != reveal["target"]]
        for each in [*true[:1], *false]:
            voice.say("fragment", indent=4, place=self._places[each["place"]], text=each["text"])
        points = told(reveal)
        majority, noise_bar, alignment_bar = bars(self._seats)
        voice.say(
            "points",
            indent=2,
            style="good" if points["points"] else "bad",
            **points,
            found=reveal["place_votes"][reveal["target"]],
            heard=max(
                (reveal["signal_votes"][each] for each in reveal["distorted_signals"]), default=0
            ),
            majority=majority,
            noise_bar=noise_bar,
            alignment_bar=alignment_bar,
            score=public["score"],
        )

    # --- the end ---------------------------------------------------------------------------------

    def end(self, view: View) -> bool:
        public = view["match"]["public"]
        good = sorted(self._revealed) == list(range(1, ROUNDS + 1))
        total = 0
        self.voice.line()
        for number, reveal in self._revealed.items():
            points = told(reveal)
            due = (points["place"], points["noise"], points["alignment"])
            good = good and scored(self._seats, reveal) == due
            total += points["points"]
            self.voice.say("row", indent=2, round=number, **points)
        good = good and total == public["score"]
        self.voice.say("score", style="strong", score=public["score"], most=ROUNDS * MOST_A_ROUND)
        self.voice.say("checked", rounds=len(self._revealed))
        return good
