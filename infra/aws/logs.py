"""`make logs STAGE=`: what the functions of a stage have told in the last MINUTES, in order."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

MINUTES = "10"


def main() -> int:
    stage, minutes = os.environ.get("STAGE", ""), int(os.environ.get("MINUTES") or MINUTES)
    try:
        for line in lines(boto3.client("logs"), stage, time.time() - 60 * minutes):
            print(line)
    except (BotoCoreError, ClientError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def lines(client: Any, stage: str, since: float) -> list[str]:
    """`api` or `beat`, and what it said, from that epoch second on."""
    found: list[tuple[int, str]] = []
    for function in ("api", "beat"):
        pages = client.get_paginator("filter_log_events").paginate(
            logGroupName=f"/sobremesa/{stage}/{function}", startTime=int(since * 1_000)
        )
        for page in pages:
            for event in page["events"]:
                found.append((event["timestamp"], f"{function:4} {event['message'].rstrip()}"))
    return [line for _, line in sorted(found, key=lambda each: each[0])]


if __name__ == "__main__":
    sys.exit(main())
