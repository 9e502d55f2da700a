"""Balance simulation of one "crossed coordinates" quartet.

Pure: everything follows from the structure (places, traits, fragments), the number of players,
the number of rounds and the seed.  Nothing is read, written or printed.

The model
---------
* Deal (CC-2).  The target is each of the four places in turn (so every place is the target
  equally often).  Of N players, ``distorted(N)`` hold a fragment of another candidate (two of
  them: of two different other candidates); everybody else holds one of the target.  Within a
  round fragments of one place are dealt without replacement.
* Senders (CC-4).  Half of them, N // 2 chosen at random and regardless of who is distorted, are
  informative: of the six pairs of their own four traits they publish one that fits the fewest
  candidates, ties broken at random.  The others publish a random pair.  Senders know the true
  links (misreading is modelled on the readers' side only); none knows who is distorted.
* Readers.  All N players read all N signals.  Each reader has a private opinion on all
  19 x 4 trait-place links: the truth, with every link independently flipped with probability
  ``error``.  It is the same opinion for the whole round, so two signals with the same trait are
  misread alike.  A signal gives a place one point for each of its two traits believed to fit (0,
  1 or 2); a reader's choice is the place with most points, ties broken at random.  Readers make
  no use of their own fragment nor of the number of distorted signals.
* Pool.  The council sums the points of all readers and takes the best place, ties at random.
* Noise.  Each reader picks the signal that (by the same opinion) fits the place he or she chose
  least, ties at random.  Hit: it is one of the distorted signals, whether or not the place is
  right.
* Perfect reader.  Knows all links, hence counts for each place the signals of which both traits
  fit, and breaks ties by the number of single traits that fit, then at random.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

PLAYERS = (4, 6, 8, 12)
ROUNDS = 10_000
SEED = 11
ERROR = 0.20
PLACES = 4
TRAITS_EACH = 4

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Result:
    """Shares (0 to 1) over all simulated rounds for one number of players."""

    players: int
    rounds: int
    distorted: int
    one_reader: float
    by_place: Mapping[str, float]
    pool: float
    noise: float
    perfect: float

    @property
    def noise_bar(self) -> float:
        """Least acceptable noise share: one and a half times chance."""
        return 1.5 * self.distorted / self.players

    def failures(self) -> list[str]:
        """The bars of RULES, "Content", that this result misses; empty if it passes."""
        found: list[str] = []
        if not 0.60 <= self.one_reader <= 0.80:
            found.append(f"one reader {self.one_reader:.3f}, not in .60 to .80")
        for place, share in self.by_place.items():
            if not 0.50 <= share <= 0.90:
                found.append(f"one reader, target {place}: {share:.3f}, not in .50 to .90")
        pool_bar = 0.90 if self.players >= 6 else 0.75
        if self.pool < pool_bar:
            found.append(f"pool {self.pool:.3f}, under {pool_bar:.2f}")
        if not self.noise_bar <= self.noise <= 0.75:
            found.append(f"noise {self.noise:.3f}, not in {self.noise_bar:.3f} to .75")
        if self.perfect < 0.90:
            found.append(f"perfect reader {self.perfect:.3f}, under .90")
        return found


@dataclass(frozen=True)
class _Arrays:
    """The structure as arrays: who fits where, and the fragments' traits by place."""

    names: tuple[str, ...]
    fits: Bools  # trait, place
    fragments: tuple[Ints, ...]  # one array (fragment, 4) for each place


def distorted(players: int) -> int:
    """How many fragments come from another candidate (CC-2)."""
    return 1 if players < 8 else 2


def _arrays(structure: Mapping[str, Any]) -> _Arrays:
    names: tuple[str, ...] = tuple(structure["places"])
    traits: Sequence[Mapping[str, Any]] = structure["traits"]
    if len(names) != PLACES:
        raise ValueError(f"{PLACES} places expected, not {len(names)}")
    number = {str(trait["id"]): index for index, trait in enumerate(traits)}
    fits = np.array([[name in trait["places"] for name in names] for trait in traits])
    fragments = tuple(
        np.array(
            [
                [number[trait] for trait in fragment["traits"]]
                for fragment in structure["fragments"]
                if fragment["place"] == name
            ],
            dtype=np.int64,
        ).reshape(-1, TRAITS_EACH)
        for name in names
    )
    return _Arrays(names, fits, fragments)


def _deal(rng: np.random.Generator, data: _Arrays, players: int, target: Ints) -> Ints:
    """Traits dealt: (round, player, 4).  The distorted fragments are those of players 0, 1."""
    rounds = len(target)
    origin = np.repeat(target[:, None], players, axis=1)
    steps = rng.permuted(np.tile(np.arange(1, PLACES), (rounds, 1)), axis=1)
    odd = distorted(players)
    origin[:, :odd] = (target[:, None] + steps[:, :odd]) % PLACES
    dealt = np.empty((rounds, players, TRAITS_EACH), dtype=np.int64)
    for place, pool in enumerate(data.fragments):
        if len(pool) < players:
            raise ValueError(f"{data.names[place]}: {len(pool)} fragments, {players} players")
        order = np.argsort(rng.random((rounds, len(pool))), axis=1)[:, :players]
        here = origin == place
        dealt[here] = pool[order][here]
    return dealt


def _signals(rng: np.random.Generator, fits: Bools, dealt: Ints) -> Ints:
    """Traits published: (round, player, 2)."""
    rounds, players, size = dealt.shape
    pairs = dealt[:, :, np.array(list(itertools.combinations(range(size), 2)))]
    candidates = (fits[pairs[..., 0]] & fits[pairs[..., 1]]).sum(axis=-1)
    narrow = np.argmin(candidates + rng.random(candidates.shape) / 2, axis=-1)
    chance = rng.integers(pairs.shape[2], size=(rounds, players))
    informative = rng.permuted(np.tile(np.arange(players) < players // 2, (rounds, 1)), axis=1)
    chosen = np.where(informative, narrow, chance)
    signals: Ints = np.take_along_axis(pairs, chosen[:, :, None, None], axis=2)[:, :, 0]
    return signals


def _best(rng: np.random.Generator, points: npt.NDArray[Any]) -> Ints:
    """Index of the largest whole number along the last axis, ties broken at random."""
    best: Ints = np.argmax(points + rng.random(points.shape, dtype=np.float32) / 2, axis=-1)
    return best


def simulate(
    structure: Mapping[str, Any],
    players: int,
    rounds: int = ROUNDS,
    seed: int = SEED,
    error: float = ERROR,
) -> Result:
    """Play ``rounds`` rounds of the quartet with ``players`` players.

    ``structure`` is a quartet's ``structure``: ``places``, ``traits`` (id, places) and
    ``fragments`` (place, traits).
    """
    data = _arrays(structure)
    rng = np.random.default_rng([seed, players])
    target = np.arange(rounds, dtype=np.int64) % PLACES
    signals = _signals(rng, data.fits, _deal(rng, data, players, target))

    # Opinions: (round, reader, trait, place).  Points: (round, reader, signal, place).
    flips = rng.random((rounds, players, *data.fits.shape), dtype=np.float32) < error
    opinions = data.fits ^ flips
    round_index = np.arange(rounds)[:, None, None]
    reader_index = np.arange(players)[None, :, None]
    points = sum(
        opinions[round_index, reader_index, signals[:, None, :, which]].astype(np.int16)
        for which in (0, 1)
    )
    totals = np.asarray(points).sum(axis=2)
    choice = _best(rng, totals)
    right = choice == target[:, None]
    pool = _best(rng, totals.sum(axis=1)) == target

    fit_of_choice = np.take_along_axis(np.asarray(points), choice[:, :, None, None], axis=3)[..., 0]
    noise = _best(rng, -fit_of_choice) < distorted(players)

    first, second = data.fits[signals[..., 0]], data.fits[signals[..., 1]]
    both = (first & second).sum(axis=1)
    single = first.sum(axis=1) + second.sum(axis=1)
    perfect = _best(rng, both * (2 * players + 1) + single) == target

    return Result(
        players=players,
        rounds=rounds,
        distorted=distorted(players),
        one_reader=float(right.mean()),
        by_place={
            name: float(right[target == place].mean()) for place, name in enumerate(data.names)
        },
        pool=float(pool.mean()),
        noise=float(noise.mean()),
        perfect=float(perfect.mean()),
    )


def report(
    structure: Mapping[str, Any],
    players: Sequence[int] = PLAYERS,
    rounds: int = ROUNDS,
    seed: int = SEED,
) -> list[Result]:
    """One result for each number of players."""
    return [simulate(structure, number, rounds, seed) for number in players]


def table(results: Sequence[Result]) -> str:
    """The results as a plain-text table, one line for each number of players."""
    lines = ["  N   one (worst..best place)  pool   noise (bar)     perfect"]
    for result in results:
        shares = result.by_place.values()
        lines.append(
            f" {result.players:2d}   {result.one_reader:.3f}"
            f" ({min(shares):.3f}..{max(shares):.3f})     {result.pool:.3f}"
            f"  {result.noise:.3f} (>={result.noise_bar:.3f})  {result.perfect:.3f}"
            f"  {'FAIL' if result.failures() else 'PASS'}"
        )
    return "\n".join(lines)
