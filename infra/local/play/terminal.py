"""The terminal: a prompt with a countdown below it, or plain lines where there is none.

With a terminal on both ends prompt_toolkit reads, and what is new appears above the prompt. Pipes,
TERM=dumb and screen readers get lines, the countdown among them. Nothing is told by colour: there
is none, and NO_COLOR switches even bold off.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.patch_stdout import patch_stdout

from .text import Section, fold

WIDTH = 80
"""Lines do not get longer on wider terminals: they are easier to read so."""
REFRESH_SECONDS = 0.5


def is_fancy() -> bool:
    """Can this terminal have a prompt that stays below what is printed?"""
    ends = sys.stdin.isatty() and sys.stdout.isatty()
    return ends and os.environ.get("TERM", "dumb") != "dumb"


class Terminal:
    """Prints from any thread, reads in the main one."""

    def __init__(self, *, fancy: bool) -> None:
        self._fancy = fancy
        self._bold = fancy and not os.environ.get("NO_COLOR")
        for stream in (sys.stdin, sys.stdout):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # it is a real file

    def patched(self) -> AbstractContextManager[None]:
        """As long as this is open, what is printed stays above the prompt."""
        return patch_stdout(raw=True) if self._fancy else nullcontext()

    def show(self, sections: Sequence[Section], status: str) -> None:
        lines = []
        for each in sections:
            title = fold(each.title, self._width())
            lines += [f"\x1b[1m{line}\x1b[0m" if self._bold else line for line in title]
            for line in each.lines:
                lines += fold(line, self._width())
        if status and not self._fancy:
            lines += fold(f"[{status}]", self._width())
        if lines:
            print("\n".join(lines), flush=True)

    def say(self, text: str) -> None:
        print("\n".join(fold(f"- {text}", self._width())), flush=True)

    def _width(self) -> int:
        return min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)

    def lines(self, status: Callable[[], str], commands: Callable[[], list[str]]) -> Iterator[str]:
        """What is typed, until the input ends."""
        if not self._fancy:
            for line in sys.stdin:
                yield line.rstrip("\n")
            return
        prompt: PromptSession[str] = PromptSession(
            "> ",
            bottom_toolbar=lambda: fold(status(), self._width())[0],
            refresh_interval=REFRESH_SECONDS,
            completer=WordCompleter(commands, ignore_case=True),
            complete_while_typing=False,
        )
        while True:
            try:
                yield prompt.prompt()
            except EOFError:
                return
