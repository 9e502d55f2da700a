"""Seven people at almost even: how they choose and vote, and how the match is told and checked."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from .table import Action, View
from .voice import Voice

TEMPERS = ("first", "short", "coin", "second", "short", "first", "drifts")
"""In the order of joining, what a voter goes by."""
STEADY = 0.8
"""How often a voter follows the own temper."""
DRIFTS_OFF = 0.25
"""How often the one who drifts forgets to vote; as author that one always lets the clock run."""

POINTS = (500, 300, 150)
"""By distance to the ideal split (RULES, AE-6), for the check at the end."""


def publish(cards: Any, rng: Random) -> Action:
    """One of the six dilemmas: now and then any, else one whose sides look alike in weight."""
    options = [(card["card"], each) for card in cards for each in card["twists"]]
    if rng.random() < 0.4:
        card, twist = rng.choice(options)
    else:
        card, twist = min(
            options, key=lambda each: (abs(len(each[1]["a"]) - len(each[1]["b"])), rng.random())
        )
    return {"type": "publish", "card": card, "twist": twist["twist"]}


def vote(dilemma: Any, temper: str, rng: Random) -> Action:
    """For the side that the temper likes, as a rule."""
    a, b = len(dilemma["a"]), len(dilemma["b"])
    likes_a = {"first": True, "second": False, "short": a <= b, "long": a > b}.get(temper)
    steady = rng.random() < STEADY
    takes_a = rng.random() < 0.5 if likes_a is None else likes_a == steady
    return {"type": "vote", "side": "a" if takes_a else "b"}


def points(accepted: int, minority: int) -> int:
    """What a published split brings its author (AE-5, AE-6)."""
    distance = accepted // 2 - minority
    return POINTS[distance] if minority and distance < len(POINTS) else 0


class Script:
    """The match as it was seen."""

    game = "almost-even"
    players = len(TEMPERS)
    hurried = frozenset({"reveal"})
    entropies = False

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self._names: dict[int, str] = {}
        self._round = 0
        self._shown = 0
        """The last round whose dilemma was told."""
        self._revealed: dict[int, tuple[int, Any]] = {}
        """By round: its author and its reveal."""
        self._progress: list[int] = []

    def tempers(self) -> Sequence[str]:
        return [self.voice.words[f"temper-{temper}"] for temper in TEMPERS]

    def lobby(self, view: View) -> None:
        """There is nothing to write down."""

    def notice(self, who: int, view: View) -> None:
        """Nothing but what is public is of use."""

    def decide(self, who: int, view: View, rng: Random) -> Action | None:
        match, temper = view["match"], TEMPERS[who]
        drifts = temper == "drifts"
        if match["phase"] == "author":
            return None if drifts else publish(match["private"]["cards"], rng)
        if drifts and rng.random() < DRIFTS_OFF:
            return None
        return vote(match["public"]["dilemma"], temper, rng)

    # --- the story -------------------------------------------------------------------------------

    def tell(self, view: View) -> None:
        match = view["match"]
        public = match["public"]
        self._names = {each["seat"]: each["name"] for each in view["room"]["members"]}
        author = self._names[public["author"]]
        if public["round"] < self._round:
            return
        if public["round"] > self._round:
            self._round, self._progress = public["round"], []
            self.voice.line()
            self.voice.say(
                "round",
                style="strong",
                round=self._round,
                rounds=public["rounds"],
                name=author,
            )
        if public["dilemma"] is not None and self._shown < self._round:
            self._shown = self._round
            self._dilemma(public["dilemma"], author)
        if match["phase"] == "vote" and match["answered"] not in self._progress:
            self._progress.append(match["answered"])
        if public["reveal"] is not None and self._round not in self._revealed:
            self._revealed[self._round] = (public["author"], public["reveal"])
            self._reveal(public["reveal"], public["scores"], author)

    def _dilemma(self, dilemma: Any, author: str) -> None:
        key = "reserve" if dilemma["reserve"] else "publishes"
        self.voice.say(key, indent=2, name=author, prompt=dilemma["prompt"])
        self.voice.show(f"A  {dilemma['a']}", indent=4)
        self.voice.show(f"B  {dilemma['b']}", indent=4)

    def _reveal(self, reveal: Any, scores: Any, author: str) -> None:
        voice = self.voice
        votes = len(reveal["a"]) + len(reveal["b"])
        progress = sorted({*self._progress, votes})
        seen = ", ".join(map(str, progress))
        key = "votes" if len(self._revealed) == 1 else "votes-again"
        voice.say(key, indent=2, seen=seen, expected=votes + len(reveal["omitted"]))
        for side in ("a", "b"):
            names = ", ".join(self._names[seat] for seat in reveal[side])
            voice.show(f"{side.upper()}  {len(reveal[side])}  {names}", indent=4)
        if reveal["omitted"]:
            names = voice.listed([self._names[seat] for seat in reveal["omitted"]])
            voice.say("omitted", indent=2, names=names)
        if reveal["reserve"]:
            key = "points-reserve"
        else:
            key = "points" if reveal["minority"] else "points-none"
        voice.say(
            key,
            indent=2,
            style="good" if reveal["points"] else "bad",
            name=author,
            points=reveal["points"],
            votes=reveal["accepted"],
            ideal=f"{reveal['ideal']}-{reveal['accepted'] - reveal['ideal']}",
            split=f"{reveal['minority']}-{reveal['accepted'] - reveal['minority']}",
            away=voice.plural("away", reveal["distance"]) if reveal["distance"] else "",
        )
        ranking = sorted(scores, key=lambda each: -each["points"])
        voice.row([f"{self._names[each['seat']]} {each['points']}" for each in ranking], indent=4)

    # --- the end ---------------------------------------------------------------------------------

    def end(self, view: View) -> bool:
        match = view["match"]
        totals = dict.fromkeys(self._names, 0)
        good = sorted(self._revealed) == list(range(1, match["public"]["rounds"] + 1))
        for author, reveal in self._revealed.values():
            votes = [len(reveal["a"]), len(reveal["b"])]
            due = 0 if reveal["reserve"] else points(sum(votes), min(votes))
            good = good and due == reveal["points"]
            totals[author] += due
        standings = match["outcome"]["standings"]
        for each in standings:
            ahead = sum(more > totals[each["seat"]] for more in totals.values())
            good = good and (each["points"], each["position"]) == (totals[each["seat"]], 1 + ahead)
        best = [seat for seat in sorted(totals) if totals[seat] == max(totals.values())]
        good = good and best == sorted(match["outcome"]["winners"])
        self.voice.line()
        self.voice.say("checked", rounds=len(self._revealed))
        return good
