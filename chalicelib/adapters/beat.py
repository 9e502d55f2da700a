"""Waking the beat: an asynchronous invocation of its own function."""

from __future__ import annotations

import json
from typing import Any, Final

WAKE: Final = {
    "version": "0",
    "id": "wake",
    "source": "sobremesa",
    "detail-type": "wake",
    "account": "",
    "time": "",
    "region": "",
    "resources": [],
    "detail": {},
}
"""What EventBridge would send, so that one handler serves both."""


class LambdaBeat:
    """A beat in a function of its own."""

    def __init__(self, client: Any, function: str) -> None:
        self._client = client
        self._function = function

    def wake(self) -> None:
        self._client.invoke(
            FunctionName=self._function,
            InvocationType="Event",
            Payload=json.dumps(WAKE).encode(),
        )


class NoBeat:
    """Where only the schedule beats."""

    def wake(self) -> None:
        return
