"""A room of almost even, driven through the kernel's own doors as the service drives it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from chalicelib import content
from chalicelib.games.almost_even import GAME
from chalicelib.games.almost_even.model import State
from chalicelib.kernel import actions, lobby, room, store, view
from chalicelib.kernel.game import Awaiting, Deck
from chalicelib.kernel.match import AnyGame, Games, due_at
from chalicelib.kernel.model import SECOND, Instant, Model, Seat
from chalicelib.kernel.receipts import Request
from chalicelib.kernel.room import Member, Room

NOON: Instant = 1_900_000_000_000
WATCHER = "watcher".ljust(26, "w")


def seed(*parts: object) -> bytes:
    """32 bytes that are the same in every run."""
    return hashlib.sha256(repr(parts).encode()).digest()


def called(number: int) -> str:
    """A name of twelve letters."""
    return f"Comensal {number:03}"


def deck_size(deck: str) -> int:
    """How many cards or reserves ship today; no test may count on a number."""
    return GAME.deals(GAME.seats.start)[deck].size


def roomy(cards: int, reserves: int) -> AnyGame:
    """The game with a deck of that many numbers, for dealing alone: the numbers past what ships
    have no texts."""

    def deals(seats: int) -> Mapping[str, Deck]:
        real = GAME.deals(seats)
        return {
            "cards": replace(real["cards"], size=cards),
            "reserves": replace(real["reserves"], size=reserves),
        }

    return replace(GAME, deals=deals)


class Table:
    """One room. Every step goes through the stored form and back.

    Players are called by their place in the turn order, since that is what rules speak of: player
    0 is the first author. `watcher` came in when the match had begun.
    """

    def __init__(
        self, players: int, number: int = 0, *, bots: int = 0, game: AnyGame = GAME
    ) -> None:
        self.games: Games = {game.key: game}
        self.game = game
        self.number = number
        self.now = NOON
        self.keys = 0
        self.members = tuple(f"player{n:02}".ljust(26, "x") for n in range(players))
        self.room: Room = actions.create(
            code="MESA42",
            game=game.key,
            settings=lobby.checked_settings(self.games, game.key, {}),
            visibility="private",
            name=called(0),
            entropy="",
            locale="en",
            request=self._request(self.members[0], b"create"),
            seed=seed("room", number),
            now=self.now,
        )
        for player in self.members[1:]:
            self.act(player, {"type": "join"})
        for _ in range(bots):
            self.act(self.members[0], {"type": "add-bot"})

    # --- any room --------------------------------------------------------------------------

    def _request(self, player: str, body: bytes) -> Request:
        self.keys += 1
        key = f"key-{self.keys:036}"
        return Request(player=player, created=self.now // SECOND, key=key, body=body)

    def act(
        self, player: str, action: Mapping[str, Any], decision: int | None = None
    ) -> actions.Accepted:
        """What the room answers now: settled first, as every request settles it."""
        self.settle(self.now)
        body = {"action": dict(action)} | ({} if decision is None else {"decision": decision})
        number = self.members.index(player) if player in self.members else 999
        accepted = actions.act(
            self.room,
            lobby.Context(
                games=self.games,
                request=self._request(player, json.dumps(body).encode()),
                now=self.now,
                seed=seed("next", self.number, self.keys),
                guest=lobby.Guest(name=called(number), locale="en"),
            ),
            body,
        )
        self._keep(accepted.room)
        return accepted

    def settle(self, at: Instant) -> None:
        """Somebody polls, or the beat fires, at that instant."""
        self.now = max(self.now, at)
        self._keep(room.settle(self.room, self.games, at))

    def _keep(self, after: Room) -> None:
        if room.awaits_archive(after, self.games):  # as the service does: the result is kept
            after = room.archived(after)
        self.room = store.load(store.dump(after), self.games)
        assert self.room == after

    def start(self) -> Table:
        host = self.room.host
        assert host is not None
        self.act(host, {"type": "start", "match": self.room.match_number + 1})
        if self.room.member(WATCHER) is None:
            self.act(WATCHER, {"type": "join"})
            self.act(WATCHER, {"type": "observe"})
        return self

    def member(self, player: str) -> Member:
        found = self.room.member(player)
        assert found is not None
        return found

    def view(self, player: str, locale: str = "es") -> dict[str, Any]:
        def say(game: AnyGame, seen: Model) -> dict[str, Any]:
            return game.words(seen, content.of_game(game.key, locale))

        return view.view(self.room, self.games, self.member(player), say)

    def match(self, player: str = WATCHER) -> dict[str, Any]:
        found: dict[str, Any] = self.view(player)["match"]
        return found

    def everything_for(self, player: str) -> bytes:
        """All that an answer to a poll is made of, encoded; twice, in both languages."""
        me, games = self.member(player), self.games
        hints = [
            view.poll_after_ms(self.room, games, me, self.now, pushed=pushed)
            for pushed in (False, True)
        ]
        views = [self.view(player, locale) for locale in content.LOCALES]
        return json.dumps([hints, views], ensure_ascii=False).encode()

    # --- this game -------------------------------------------------------------------------

    @property
    def state(self) -> State:
        assert self.room.match is not None
        state = self.room.match.state
        assert isinstance(state, State)
        return state

    @property
    def question(self) -> Awaiting:
        question = self.game.awaiting(self.state)
        assert question is not None
        return question

    @property
    def over(self) -> bool:
        return self.game.awaiting(self.state) is None

    @property
    def due(self) -> Instant:
        assert self.room.match is not None
        return due_at(self.room.match, self.question)

    def seat(self, player: int) -> Seat:
        return self.state.order[player]

    def turns(self, seats: Iterable[Seat]) -> list[int]:
        """Players, in turn order, instead of seats."""
        return sorted(map(self.state.order.index, seats))

    def who(self, player: int) -> str:
        """The identity of the player at that place of the turn order."""
        seat = self.seat(player)
        return next(each.id for each in self.room.members if each.seat == seat)

    @property
    def author(self) -> int:
        return self.state.order.index(self.state.author)

    @property
    def voters(self) -> list[int]:
        """Asked, and without an accepted vote."""
        return self.turns((self.question.asked or frozenset()) - self.question.answered)

    def do(self, player: int, action: Mapping[str, Any]) -> actions.Accepted:
        return self.act(self.who(player), action, self.room.decision)

    def hand(self) -> list[str]:
        private = self.match(self.who(self.author))["private"]
        return [card["card"] for card in private["cards"]]

    def publish(self, card: int = 0, twist: int = 0) -> None:
        self.do(self.author, {"type": "publish", "card": self.hand()[card], "twist": twist})

    def vote(self, player: int, side: str) -> None:
        self.do(player, {"type": "vote", "side": side})

    def leave(self, player: int) -> None:
        self.act(self.who(player), {"type": "leave"})

    def wait(self) -> None:
        """The open question's time runs out."""
        self.settle(self.due)

    def proceed(self) -> None:
        """The host closes the reveal as soon as that is possible."""
        assert self.room.host is not None
        self.now += self.question.floor_seconds * SECOND
        self.act(self.room.host, {"type": "continue"}, self.room.decision)

    def play(self, script: str) -> Table:
        """Words: `publish`, `wait`, `continue`; `a1` and `b2` are votes; `leave1`; `round` is a
        whole round in which all vote, as evenly as can be, up to the end of its reveal."""
        for word in script.split():
            if word == "round":
                self.publish()
                for number, player in enumerate(self.voters):
                    self.vote(player, "ab"[number % 2])
                self.wait()
            elif word.startswith("leave"):
                self.leave(int(word.removeprefix("leave")))
            elif word[0] in "ab" and word[1:].isdigit():
                self.vote(int(word[1:]), word[0])
            else:
                {"publish": self.publish, "wait": self.wait, "continue": self.proceed}[word]()
        return self

    def summary(self) -> dict[str, Any]:
        """What the watcher sees, with players in turn order instead of seats."""
        match = self.match()
        public, outcome = match["public"], match["outcome"]
        reveal = public["reveal"] or {}
        points = {row["seat"]: row["points"] for row in public["scores"]}
        said: dict[str, Any] = {
            "phase": match["phase"],
            "round": public["round"],
            "rounds": public["rounds"],
            "author": self.state.order.index(public["author"]),
            "answered": match["answered"],
            "expected": match["expected"],
            "reserve": None if public["dilemma"] is None else public["dilemma"]["reserve"],
            "revealed": bool(reveal),
            "scores": [points[seat] for seat in self.state.order],
            "status": None if outcome is None else outcome["status"],
            "winners": None if outcome is None else self.turns(outcome["winners"]),
        }
        for group in ("a", "b", "omitted"):
            said[group] = self.turns(reveal[group]) if reveal else None
        for figure in ("accepted", "minority", "ideal", "distance", "points"):
            said[figure] = reveal.get(figure)
        return said
