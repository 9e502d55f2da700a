"""Settings from the environment, one session, and an exit status: 0 for a session that ended, 2 if
none could begin."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from queue import Queue
from urllib.parse import urlsplit

from .home import Home, Unusable
from .offers import offers
from .session import Session
from .terminal import Terminal, is_fancy
from .wire import Clock, Http, NoAnswer
from .words import LOCALES, Words

APART_SECONDS = 0.25
"""Between two looks at the server's clock, to see how fast it runs."""


def main() -> int:
    url = os.environ.get("URL", "http://127.0.0.1:8000").rstrip("/")
    locale = os.environ.get("LOCALE", "en")
    folder = Path(os.environ.get("PLAY_HOME") or "~/.sobremesa").expanduser()
    if locale not in LOCALES:
        print(f"LOCALE is {' or '.join(LOCALES)}.", file=sys.stderr)
        return 2
    words = Words(locale)
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        print(words.text("not-an-url"), file=sys.stderr)
        return 2
    try:
        return played(url, locale, folder, words)
    except Unusable as problem:
        print(words.text(problem.key, path=problem.path), file=sys.stderr)
    except NoAnswer:
        print(words.text("nobody-there", url=url), file=sys.stderr)
    except BrokenPipeError:  # whoever was reading has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 2


def played(url: str, locale: str, folder: Path, words: Words) -> int:
    """One session, from the key to the last line."""
    home = Home(folder)
    device = home.device()
    wire, clock = Http(url, device, locale), Clock()
    clock.set_by(wire, APART_SECONDS)
    listed = wire.call("GET", "/v1/games")
    if listed.status != 200:
        raise NoAnswer
    terminal = Terminal(fancy=is_fancy())
    session = Session(url, wire, clock, home, offers(listed.body["items"]), words, terminal)
    terminal.say(words.text("welcome", url=url, player=device.player_id, home=folder))
    lines: Queue[str | None] = Queue()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            session.run(lines)
        except BaseException as problem:  # noqa: BLE001  # it is raised again where it is seen
            failures.append(problem)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    worker = threading.Thread(target=work, daemon=True)
    try:
        with terminal.patched():
            worker.start()
            for line in terminal.lines(session.status, session.commands):
                if line.strip() and words.verb(line.strip()) == "quit":
                    break
                lines.put(line)
            lines.put(None)
            worker.join()
    except KeyboardInterrupt:
        pass
    if failures:
        raise failures[0]
    if session.view is not None:
        terminal.say(words.text("kept"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
