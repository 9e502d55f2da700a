"""Starting beats: asynchronous invocations of their function."""

from __future__ import annotations

import json
from typing import Any, Final

EVENT: Final = {
    "version": "0",
    "id": "",
    "source": "sobremesa",
    "account": "",
    "time": "",
    "region": "",
    "resources": [],
}
"""What EventBridge would send, so that one handler serves both."""


class LambdaBeat:
    """Beats in a function of their own."""

    def __init__(self, client: Any, function: str) -> None:
        self._client = client
        self._function = function

    def wake(self, lane: str) -> None:
        self._start(lane, "wake")

    def relieve(self, lane: str) -> None:
        self._start(lane, "relieve")

    def _start(self, lane: str, why: str) -> None:
        event = EVENT | {"detail-type": why, "detail": {"lane": lane}}
        self._client.invoke(
            FunctionName=self._function,
            InvocationType="Event",
            Payload=json.dumps(event).encode(),
        )


class NoBeat:
    """Where only the schedule beats."""

    def wake(self, lane: str) -> None:  # noqa: ARG002  # a port's method
        return

    def relieve(self, lane: str) -> None:  # noqa: ARG002  # a port's method
        return
