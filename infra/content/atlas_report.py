"""Does every shipped quartet meet the bars of RULES, "Content"? Simulated with a fixed seed.

    python -m infra.content.atlas_report [--rounds 4000] [--picture [PATH]]

Prints a line for each quartet and number of players, ending in PASS or FAIL, and exits with 1 if
any has failed. `--picture` draws the same with matplotlib, to build/atlas-report.png by default.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from .simulation import PLAYERS, SEED, Result, report, table

ROOT: Final = Path(__file__).parents[2]
ATLAS: Final = ROOT / "chalicelib/games/crossed_coordinates/atlas"
PICTURE: Final = ROOT / "build/atlas-report.png"
ROUNDS: Final = 4_000

Results = Mapping[str, Sequence[Result]]


def shipped() -> dict[str, Any]:
    """Structures by quartet, in the order of their numbers."""
    names = json.loads((ATLAS / "index.json").read_text("utf-8"))
    return {name: json.loads((ATLAS / f"{name}.json").read_text("utf-8")) for name in names}


def simulated(structures: Mapping[str, Any], rounds: int = ROUNDS) -> Results:
    """Results by quartet, one for each of `PLAYERS`."""
    return {name: report(parts, rounds=rounds) for name, parts in structures.items()}


def failures(results: Results) -> list[str]:
    """Every bar that a quartet misses, as a sentence."""
    return [
        f"{name}, {result.players} players: {failure}"
        for name, row in results.items()
        for result in row
        for failure in result.failures()
    ]


def draw(results: Results, file: Path) -> None:
    """The shares of each quartet by number of players, with the bars as bands."""
    import matplotlib as mpl  # only who asks for a picture needs it

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    share: Mapping[str, Callable[[Result], float]] = {
        "one reader finds the target": lambda result: result.one_reader,
        "the pooled council finds it": lambda result: result.pool,
        "one reader finds a distorted signal": lambda result: result.noise,
        "a perfect reader finds the target": lambda result: result.perfect,
    }
    first = next(iter(results.values()))
    bars = (  # by panel and number of players: lowest, highest
        [(0.60, 0.80) for _ in first],
        [(0.75 if result.players < 6 else 0.90, 1.0) for result in first],
        [(result.noise_bar, 0.75) for result in first],
        [(0.90, 1.0) for _ in first],
    )
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), sharex=True, layout="constrained")
    steps, colours = range(len(PLAYERS)), mpl.colormaps["tab20"]
    for axis, title, bar in zip(axes.flat, share, bars, strict=True):
        low, high = zip(*bar, strict=True)
        axis.fill_between(steps, low, high, color="tab:green", alpha=0.15, label="bar")
        for number, (name, row) in enumerate(results.items()):
            shares = [share[title](result) for result in row]
            axis.plot(steps, shares, marker="o", label=name, color=colours(number % 20))
        axis.set(title=title, ylim=(0.2, 1.02), xticks=steps, xticklabels=PLAYERS)
    for axis in axes[1]:
        axis.set_xlabel("players")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    figure.suptitle(f"Crossed coordinates: {first[0].rounds} rounds a point, seed {SEED}")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--picture", nargs="?", type=Path, const=PICTURE, metavar="PATH")
    given = parser.parse_args(arguments)
    results = simulated(shipped(), given.rounds)
    for name, row in results.items():
        print(f"{name}: {given.rounds} rounds, seed {SEED}\n{table(row)}")
    failed = failures(results)
    for failure in failed:
        print("FAIL", failure)
    if given.picture is not None:
        draw(results, given.picture)
        print(f"drawn: {given.picture}")
    print(f"{'FAIL' if failed else 'PASS'}: {len(results)} quartets, {len(failed)} bars missed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
