"""What is kept of a finished match: the record, every player's result, and TEMPLE; all at once and
once only, whoever finishes it and however often."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from . import content
from .kernel import match as matches
from .kernel.errors import TryAgain
from .kernel.match import AnyGame, Games, Match
from .kernel.model import Model
from .kernel.room import Member, Room, game_of
from .kernel.view import view
from .ports import Finish, Gone, Moved, PairLimit, Players, Profile, Result
from .ratings import Rating, after

ATTEMPTS: Final = 8
DAY_MS: Final = 86_400_000
NOT_KEPT: Final = {"author", "order"}
NOT_KEPT_OF_REVEAL: Final = {"a", "b", "omitted"}
"""What tells, by seat, who wrote or chose what: the table has seen it, and that is enough."""


def archive(room: Room, games: Games, players: Players) -> None:
    """The room's last match is kept outside the room. Raises `TryAgain` if ratings keep moving;
    then, as after any failure, it can simply be done again."""
    match = room.match
    assert match is not None
    rated = match.ranked and not match.broken
    for _ in range(ATTEMPTS):
        profiles = players.profiles([each.id for each in _people(room)])
        gone = {who for who, each in profiles.items() if each.deleted_at >= match.began_at}
        try:
            players.archive(_finish(room, games, match, profiles, gone, rated=rated))
        except PairLimit:
            rated = False
        except (Gone, Moved):  # somebody was faster: read again what is so now
            continue
        else:
            return
    raise TryAgain


def _people(room: Room) -> list[Member]:
    """Whose result it is: everybody who had a seat, in the order of seats, bots left out."""
    seated = [each for each in room.members if each.seat is not None and not each.bot]
    return sorted(seated, key=lambda each: each.seat or 0)


def _finish(
    room: Room,
    games: Games,
    match: Match,
    profiles: dict[str, Profile],
    skipped: set[str],
    *,
    rated: bool,
) -> Finish:
    game = game_of(room, games)
    outcome = matches.outcome(game, match)
    standings = {seat: (position, points) for seat, position, points in outcome.standings}
    positions = [position for position, _ in standings.values()]
    people = _people(room)
    ratings = [profiles.get(each.id, Profile()).rating for each in people]
    new: list[Rating | None] = [None] * len(people)
    rated = rated and len(people) > 1
    if rated:
        new = list(after(ratings, [standings[each.seat or 0][0] or 0 for each in people]))
    results = []
    for each, before, now in zip(people, ratings, new, strict=True):
        if each.erased or each.id in skipped:
            continue
        position, points = standings.get(each.seat or 0, (None, None))
        results.append(
            Result(
                player=each.id,
                ended_at=match.opened_at,
                code=room.code,
                match=match.number,
                game=match.game,
                status=outcome.status,
                players=match.players,
                position=position,
                tied=position is not None and positions.count(position) > 1,
                points=points,
                before=before if now else None,
                after=now,
            )
        )
    pair = None
    if rated and len(people) == 2:
        names = [*sorted(each.id for each in people), str(match.opened_at // DAY_MS)]
        pair = sha256("/".join(names).encode()).hexdigest()[:32]
    return Finish(
        code=room.code,
        created_at=room.created_at,
        match=match.number,
        began_at=match.began_at,
        ended_at=match.opened_at,
        record=json.dumps(_record(room, games, match, people), ensure_ascii=False),
        results=tuple(results),
        pair=pair,
    )


def _record(room: Room, games: Games, match: Match, people: list[Member]) -> dict[str, Any]:
    """What the match's members may read afterwards: what an observer saw at its end, in both
    languages, and who sat where; not who wrote or chose what in the last round. Names are not kept:
    they can be changed, and forgotten."""
    stranger = Member(id="", name="")

    def kept(public: dict[str, Any]) -> dict[str, Any]:
        shown = {name: value for name, value in public.items() if name not in NOT_KEPT}
        if shown.get("reveal"):
            reveal = shown["reveal"].items()
            shown["reveal"] = {name: one for name, one in reveal if name not in NOT_KEPT_OF_REVEAL}
        return shown

    def told(locale: str) -> dict[str, Any]:
        def say(game: AnyGame, seen: Model) -> dict[str, Any]:
            return game.words(seen, content.of_game(game.key, locale))

        seen: dict[str, Any] = view(room, games, stranger, say)["match"]
        return seen

    spanish = told(content.LOCALES[0])
    return {
        "code": room.code,
        "match": match.number,
        "game": match.game,
        "began_at": match.began_at,
        "ended_at": match.opened_at,
        "players": [{"seat": each.seat, "player_id": each.id} for each in people],
        "bots": [each.seat for each in room.members if each.bot and each.seat is not None],
        "outcome": spanish["outcome"],
        "public": {
            locale: kept((spanish if locale == content.LOCALES[0] else told(locale))["public"])
            for locale in content.LOCALES
        },
    }
