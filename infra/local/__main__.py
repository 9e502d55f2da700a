"""Everything on one laptop: the app behind Chalice's server, DynamoDB embedded, the beat in a
thread. `python -m infra.local` listens on loopback until it is told to stop."""

from __future__ import annotations

import os
import signal
import sys
import threading

from .server import Server


def main() -> int:
    try:
        port, speed = int(os.environ.get("PORT", "8000")), int(os.environ.get("SPEED", "1"))
        server = Server(port=port, speed=speed)
    except (OSError, OverflowError, ValueError) as problem:
        reason = f"Cannot start: {problem}. PORT is a free port, SPEED a whole number from 1."
        print(reason, file=sys.stderr)
        return 2
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    server.start()
    print(f"Sobremesa is at {server.url} (SPEED={speed}); Ctrl-C ends it.", flush=True)
    stop.wait()
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
