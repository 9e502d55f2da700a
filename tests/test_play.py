"""`python -m infra.local.play` as people have it: processes of their own that are killed on the
way, a terminal of 80 columns, and starts that cannot be."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from fcntl import ioctl
from pathlib import Path
from queue import Empty, Queue
from random import Random
from typing import Any, Final

import pytest

from infra.local.child import serving
from infra.local.play.home import Home
from tests.play.lossy import Loss, Lossy, losing

ROOT: Final = Path(__file__).parents[1]
COMMAND: Final = [sys.executable, "-m", "infra.local.play"]
SPEED: Final = 20
MOST_KILLS: Final = 4
PATIENCE: Final = 20
"""Seconds in which everything happens, on a busy machine too."""


def environment(url: str, home: Path, **more: str) -> dict[str, str]:
    told = {"URL": url, "PLAY_HOME": str(home), "LOCALE": "en", "PYTHONIOENCODING": "utf-8"}
    return {**os.environ, **told, **more}


class Player:
    """A client that is driven by lines; what it says goes into one queue with everybody's."""

    def __init__(self, name: str, url: str, home: Path, heard: Queue[tuple[Player, str]]) -> None:
        self.name = name
        self.lines: list[str] = []
        self._url = url
        self._home = home
        self._heard = heard
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            COMMAND,
            cwd=ROOT,
            env=environment(self._url, self._home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            bufsize=1,
        )
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._heard.put((self, self.lines[-1]))

    def type(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")

    def kill(self) -> None:
        """Without a chance to say anything."""
        os.kill(self._process.pid, signal.SIGKILL)
        assert self._process.wait(PATIENCE) == -signal.SIGKILL
        self._close()

    def end(self) -> int:
        """The exit status after the input has ended."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(PATIENCE)
        self._close()
        return code

    def stop(self) -> None:
        if self._process.poll() is None:
            self.kill()

    def _close(self) -> None:
        self._reader.join(PATIENCE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()

    def has_said(self, pattern: str, since: int = 0) -> str:
        """What matches in the lines from there on, as soon as something does."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := re.search(pattern, "\n".join(self.lines[since:]), re.MULTILINE):
                return found[0]
            time.sleep(0.01)
        raise AssertionError(f"{self.name} never said {pattern}:\n" + "\n".join(self.lines[-40:]))


class Match:
    """Three who bid sixes, one more each time, and say liar when there are many."""

    def __init__(self, players: list[Player], heard: Queue[tuple[Player, str]]) -> None:
        self.players = players
        self._heard = heard
        self._standing = 0
        self._rounds = 0

    def moves(self) -> Iterator[tuple[Player, str]]:
        """Whoever is asked, and the answer, until everybody has seen the end."""
        over: set[str] = set()
        while len(over) < len(self.players):
            try:
                player, line = self._heard.get(timeout=PATIENCE)
            except Empty:
                tails = ["\n".join([each.name, *each.lines[-25:]]) for each in self.players]
                raise AssertionError("nothing happens any more:\n" + "\n\n".join(tails)) from None
            if line == "The match is over.":
                over.add(player.name)
            elif line.startswith("YOUR MOVE. The first bid"):
                self._rounds += 1
                self._standing = 1
                yield player, "1 6"
            elif line.startswith("YOUR MOVE"):
                self._standing += 1
                # long enough in the first round for everybody to move twice
                bold = self._standing <= (6 if self._rounds == 1 else 2)
                yield player, f"{self._standing} 6" if bold else "liar"


@contextmanager
def three(tmp_path: Path, *, lossy: bool) -> Iterator[tuple[Match, Lossy | None]]:
    """A match that has begun; Vera's way to the server loses things if it is `lossy`."""
    heard: Queue[tuple[Player, str]] = Queue()
    with ExitStack() as stack:
        url = stack.enter_context(serving(speed=SPEED))
        way = stack.enter_context(losing(url)) if lossy else None
        urls = {"Ada": url, "Bruno": url, "Vera": way.url if way else url}
        players = [Player(name, where, tmp_path / name, heard) for name, where in urls.items()]
        for each in players:
            stack.callback(each.stop)
            each.type(f"name {each.name}")
        host, *guests = players
        host.type("open liars-dice")
        code = host.has_said(r"^Room \w{6}: Liar")[5:11]
        host.type("set turn_seconds 180")
        host.type("set bullets 3")
        for each in guests:
            each.type(f"join {code}")
            each.has_said(rf"^Room {code}")
        host.has_said("Vera")
        host.type("start")
        yield Match(players, heard), way
        table = standings(host)
        assert sorted(name for _, name in table) == sorted(urls)
        assert [standings(each) for each in guests] == [table, table]
        assert [each.end() for each in players] == [0, 0, 0]


def test_three_finish_a_match_one_of_them_killed_twice_between_sending_and_answer(
    tmp_path: Path,
) -> None:
    losses: list[Loss] = ["answer", "request"]
    with three(tmp_path, lossy=True) as (match, way):
        assert way is not None
        for player, answer in match.moves():
            if player.name == "Vera" and losses:
                killed_between(player, way, answer, losses.pop(0))
            else:
                player.type(answer)
    assert losses == [], "killed twice"


def test_three_finish_a_match_all_of_them_killed_whenever_it_happens(tmp_path: Path) -> None:
    chance, kills = Random("play"), 0
    with three(tmp_path, lossy=False) as (match, _):
        for player, answer in match.moves():
            player.type(answer)
            if kills < MOST_KILLS and chance.random() < 0.7:
                time.sleep(chance.uniform(0, 0.05))
                player.kill()
                player.start()
                kills += 1
    assert kills >= 3


def killed_between(player: Player, lossy: Lossy, answer: str, loss: Loss) -> None:
    """The move is on its way when its sender dies; after the restart it counts, and once."""
    dice = [line for line in player.lines if line.startswith("Your dice: ")][-1]
    lossy.lose(loss)
    player.type(answer)
    assert lossy.held.wait(PATIENCE)
    player.kill()
    lossy.let_go()
    before, since = len(lossy.posts), len(player.lines)
    player.start()
    player.has_said("goes out again under the same key: bid", since)
    player.has_said(rf"\bVera \(you\) {answer.split()[0]}\s+six", since)
    player.has_said(rf"^{dice}$", since)
    lost, again = lossy.posts[before - 1 : before + 1]
    assert (again.key, again.body) == (lost.key, lost.body)
    assert (lost.status, again.status) == (200 if loss == "answer" else None, 200)
    assert again.replayed == (loss == "answer")


def standings(player: Player) -> list[tuple[str, str]]:
    """(position, name) of each, as the player was shown it in the end."""
    at = len(player.lines) - 1 - player.lines[::-1].index("The match is over.")
    rows = [re.match(r"  (\d)\. (\w+)", line) for line in player.lines[at + 1 : at + 4]]
    return [(row[1], row[2]) for row in rows if row]


# --- a terminal ----------------------------------------------------------------------------------


class Screen:
    """A terminal of 80 by 24 with a client in it."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0),  # Ctrl-C has whom to interrupt
        )
        os.close(slave)
        self.text = ""

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def shows(self, pattern: str, since: int = 0) -> None:
        """Waits until it does."""
        until = time.monotonic() + PATIENCE
        while not re.search(pattern, plain(self.text[since:])):
            read = self._read(until)
            assert read, f"never shown: {pattern}\n{plain(self.text)[-2_000:]}"

    def ends(self, key: str = "") -> int:
        """The exit status after that key, which is pressed again each second as people do: a
        Ctrl-D is lost on a terminal that is just being printed on."""
        until = time.monotonic() + PATIENCE
        with suppress(OSError):  # the other end is closed
            while time.monotonic() < until:
                self.type(key)
                while self._read(time.monotonic() + 1):
                    pass
        return self._process.wait(PATIENCE)

    def _read(self, until: float) -> str:
        """What comes next, or nothing if nothing comes until then."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return ""
        read = os.read(self._master, 65_536).decode("utf-8", "replace")
        if "\x1b[6n" in read:  # where is the cursor?
            os.write(self._master, b"\x1b[1;1R")
        self.text += read
        return read

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(PATIENCE)
        os.close(self._master)


def plain(text: str) -> str:
    """Without what steers the terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r", "", text)


@contextmanager
def terminal(
    url: str, home: Path, more: Mapping[str, str] | None = None, command: list[str] = COMMAND
) -> Iterator[Screen]:
    told = environment(url, home, TERM="xterm-256color") | dict(more or {})
    screen = Screen(command, told)
    try:
        yield screen
    finally:
        screen.close()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server at the pace of life."""
    with serving() as address:
        yield address


@pytest.mark.parametrize("how", [{}, {"NO_COLOR": "1"}], ids=["bold", "NO_COLOR"])
def test_in_a_terminal_there_is_a_prompt_with_a_countdown_below(
    url: str, tmp_path: Path, how: dict[str, str]
) -> None:
    with terminal(url, tmp_path, {"LOCALE": "es", **how}) as screen:
        screen.shows("sin sala")
        for line in ("nombre Ñandú", "abrir dados", "bot", "ajuste segundos 180"):
            screen.type(f"{line}\r")
        screen.shows("Segundos por turno 180")
        screen.type("empezar\r")
        screen.shows("Mis dados: [1-6]( [1-6]){4}")
        first, until = countdown(screen), time.monotonic() + PATIENCE
        while countdown(screen) >= first:
            assert time.monotonic() < until, "it stands still"
        assert ("\x1b[1m" in screen.text) == (not how)
        assert not re.search(r"\x1b\[(\d+;)*(3[0-8]|4[0-8]|9[0-7])[;m]", screen.text), "no colours"
        assert screen.ends("\x04") == 0


def countdown(screen: Screen) -> str:
    """As it is after Ctrl-L has painted everything anew."""
    at = len(screen.text)
    screen.type("\x0c")
    screen.shows(r"quedan \d:\d\d", at)
    return str(re.findall(r"quedan (\d:\d\d)", plain(screen.text[at:]))[-1])


SLOW_TO_PRINT: Final = """
import sys, time
from prompt_toolkit.input import vt100
printed = vt100.cooked_mode.__exit__
vt100.cooked_mode.__exit__ = lambda *how: (time.sleep(0.3), printed(*how))[1]
from infra.local.play import __main__
sys.exit(__main__.main())
"""
"""For a while after each text the terminal takes Ctrl-C for the process and not for the prompt."""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(COMMAND, id="at the prompt"),
        pytest.param([sys.executable, "-c", SLOW_TO_PRINT], id="while text is printed"),
    ],
)
def test_ctrl_c_ends_it_and_the_seat_is_kept(url: str, tmp_path: Path, command: list[str]) -> None:
    with terminal(url, tmp_path, command=command) as screen:
        screen.shows("no room")
        screen.type("open almost\r")
        screen.shows("Room [A-Z0-9]{6}: Almost even")
        assert screen.ends("\x03") == 0
    done = run(environment(url, tmp_path), "quit\n")
    assert done.returncode == 0
    assert re.search(r"^Room \w{6}: Almost even", done.stdout, re.MULTILINE)


BROKEN: Final = """
from infra.local.play import __main__, session
session.Session.run = lambda *_: 1 / 0
__main__.main()
"""


def test_a_fault_ends_it_loudly_and_leaves_no_prompt_that_does_nothing(
    url: str, tmp_path: Path
) -> None:
    with terminal(url, tmp_path, command=[sys.executable, "-c", BROKEN]) as screen:
        screen.shows("ZeroDivisionError")
        assert screen.ends() == 1


# --- starts --------------------------------------------------------------------------------------


def run(env: dict[str, str], typed: str = "") -> subprocess.CompletedProcess[str]:
    how: Any = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": PATIENCE}
    return subprocess.run(COMMAND, cwd=ROOT, env=env, input=typed, **how)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"LOCALE": "fr"}, id="a language that there is not"),
        pytest.param({"URL": "localhost"}, id="an address that is none"),
        pytest.param({"URL": "http://127.0.0.1:9"}, id="nobody listens there"),
        pytest.param({"PLAY_HOME": "/dev/null"}, id="a folder that is none"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(tmp_path: Path, more: dict[str, str]) -> None:
    done = run(environment("http://127.0.0.1:9", tmp_path) | more)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_folder_in_use_is_said_and_so_is_a_key_that_cannot_be_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    done = run(environment("http://127.0.0.1:9", tmp_path))
    assert (done.returncode, done.stderr.count("PLAY_HOME=")) == (2, 1)
    home.close()
    (tmp_path / "key.pem").write_text("scratched")
    done = run(environment("http://127.0.0.1:9", tmp_path))
    assert done.returncode == 2
    assert "key.pem cannot be used" in done.stderr
