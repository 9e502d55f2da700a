"""Every refusal that the core can give. A class is a stable wire code (API.md, "Codes"); an
instance says what is particular. None of them carries a secret."""

from __future__ import annotations

from typing import ClassVar

from .faults import Fault


class GameError(Exception):
    """A refusal: nothing has changed."""

    code: ClassVar[str]

    def __init__(self, reason: str | None = None, **params: str | int) -> None:
        """`reason` names a sentence in the catalogues; `params` fill its placeholders."""
        super().__init__(self.code, reason, params)
        self.reason = reason
        self.params = params


class NotFound(GameError):
    """No such room, or none that the caller belongs to: the two look alike."""

    code = "not-found"


class NotSeated(GameError):
    code = "not-seated"


class NotHost(GameError):
    code = "not-host"


class StaleDecision(GameError):
    """The question is not the open one: it has closed, or never was."""

    code = "stale-decision"


class StaleRequest(GameError):
    """Signed before the identity's last accepted action: a late duplicate."""

    code = "stale-request"


class NotYourTurn(GameError):
    code = "not-your-turn"


class AlreadyAnswered(GameError):
    code = "already-answered"


class TooEarly(GameError):
    code = "too-early"

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__()
        self.retry_after_ms = retry_after_ms


class RoomFull(GameError):
    code = "room-full"


class RoomLocked(GameError):
    code = "room-locked"


class TooFewPlayers(GameError):
    code = "too-few-players"


class MatchRunning(GameError):
    code = "match-running"


class NoMatch(GameError):
    code = "no-match"


class WrongGame(GameError):
    code = "wrong-game"


class InvalidAction(GameError):
    """The body does not have the form of an action; `faults` says where and why."""

    code = "invalid-action"

    def __init__(self, *faults: Fault) -> None:
        super().__init__()
        self.faults = faults


class IllegalAction(GameError):
    """Well formed, but the rules forbid it; `reason` says which rule."""

    code = "illegal-action"


class KeyReused(GameError):
    code = "idempotency-key-reused"


class TooManyRequests(GameError):
    code = "too-many-requests"

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__()
        self.retry_after_ms = retry_after_ms


class TryAgain(GameError):
    code = "try-again"

    def __init__(self, retry_after_ms: int = 1_000) -> None:
        super().__init__()
        self.retry_after_ms = retry_after_ms
