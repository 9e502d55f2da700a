"""A match of each game as one viewer sees it, and as it is kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..games.almost_even import model as evens
from ..games.crossed_coordinates import model as places
from ..games.liars_dice import model as dice
from ..kernel.model import Instant, Model, Seat
from .parts import AnyMatch, Outcome, PlayerId, RoomCode

# --- liar's dice -------------------------------------------------------------------------------


class LiarsDicePlayer(dice.SeenPlayer):
    """A seat, its bullets and how many dice it has rolled."""


class LiarsDiceBid(dice.SeenBid):
    """At least `quantity` dice show `face`."""


class LiarsDiceShot(dice.SeenShot):
    """Dead if and only if `chamber` <= `bullets`."""


class LiarsDiceReveal(dice.SeenReveal):
    """How the round ended; `dice` by seat, empty for `timeout` and `void`."""

    bid: LiarsDiceBid | None
    shots: tuple[LiarsDiceShot, ...]


class Entropy(Model):
    """What a player gave for the dice; empty for nothing."""

    player_id: PlayerId
    value: str


class FairRound(Model):
    """The promise of a round's dice, and their seed once it may be known."""

    round: int
    commitment: str
    seed: str | None


class Fairness(Model):
    """All that is needed to work out every die again (docs/dice.md)."""

    master_commitment: str
    master_seed: str | None
    entropy: tuple[Entropy, ...]
    rounds: tuple[FairRound, ...]


class LiarsDicePublic(dice.Public):
    """What everybody at the table sees."""

    bids: tuple[LiarsDiceBid, ...]
    players: tuple[LiarsDicePlayer, ...]
    reveal: LiarsDiceReveal | None
    fairness: Fairness


class LiarsDicePrivate(dice.Private):
    """The own dice, also in the reveal."""


class LiarsDiceMatch(AnyMatch):
    """A match of liar's dice."""

    game: Literal["liars-dice"]
    phase: Literal["turn", "reveal", "over"]
    public: LiarsDicePublic
    private: LiarsDicePrivate | None


# --- almost even -------------------------------------------------------------------------------


class Dilemma(Model):
    """What is voted on; a reserve if the author's time lapsed."""

    prompt: str
    a: str
    b: str
    reserve: bool


class AlmostEvenScore(evens.SeenScore):
    """A seat's points."""


class AlmostEvenReveal(evens.SeenReveal):
    """Who voted what, by seat, and what that brought the author."""


class AlmostEvenPublic(Model):
    """What everybody at the table sees."""

    round: int
    rounds: int
    author: Seat
    order: tuple[Seat, ...]
    dilemma: Dilemma | None
    scores: tuple[AlmostEvenScore, ...]
    reveal: AlmostEvenReveal | None


class Twist(Model):
    """One complete dilemma of a card."""

    twist: int
    prompt: str
    a: str
    b: str


class Card(Model):
    """One of the author's two."""

    card: str
    prompt: str
    twists: tuple[Twist, ...]


class AuthorHand(Model):
    """What the author alone sees while choosing."""

    cards: tuple[Card, ...]


class OwnVote(evens.Ballot):
    """The own accepted vote."""


class AlmostEvenMatch(AnyMatch):
    """A match of almost even."""

    game: Literal["almost-even"]
    phase: Literal["author", "vote", "reveal", "over"]
    public: AlmostEvenPublic
    private: AuthorHand | OwnVote | None


# --- crossed coordinates -----------------------------------------------------------------------


class Candidate(Model):
    """One of the four places of a round."""

    place: str
    name: str
    description: str


class Trait(Model):
    """A trait, by an id that is good for this round."""

    trait: str
    text: str


class PublishedSignal(Model):
    """Two traits, of nobody knows whom."""

    signal: str
    traits: tuple[Trait, ...]


class RoundPoints(places.SeenPoints):
    """What a round brought the table."""


class Fragment(Model):
    """A fragment, once the round is scored, and where it came from."""

    text: str
    place: str


class CrossedCoordinatesReveal(Model):
    """How the round ended, without anybody's name."""

    target: str
    fragments: tuple[Fragment, ...]
    distorted_signals: tuple[str, ...]
    place_votes: dict[str, int]
    signal_votes: dict[str, int]
    place_points: int
    noise_points: int
    alignment_points: int


class CrossedCoordinatesPublic(Model):
    """What everybody at the table sees."""

    round: int
    candidates: tuple[Candidate, ...]
    signals: tuple[PublishedSignal, ...]
    score: int
    rounds: tuple[RoundPoints, ...]
    reveal: CrossedCoordinatesReveal | None


class OwnBallot(places.SeenBallot):
    """The own accepted ballot."""


class CrossedCoordinatesPrivate(Model):
    """The own fragment, traits and receipts; null from the reveal on."""

    fragment: str
    traits: tuple[Trait, ...]
    signal: tuple[str, ...] | None
    ballot: OwnBallot | None


class CrossedCoordinatesMatch(AnyMatch):
    """A match of crossed coordinates; its score is `public.score`."""

    game: Literal["crossed-coordinates"]
    phase: Literal["study", "encode", "council", "ballot", "reveal", "over"]
    public: CrossedCoordinatesPublic
    private: CrossedCoordinatesPrivate | None


Match = TypeAliasType(
    "Match",
    Annotated[
        LiarsDiceMatch | AlmostEvenMatch | CrossedCoordinatesMatch, Field(discriminator="game")
    ],
)


# --- what is kept ------------------------------------------------------------------------------


class Seated(Model):
    """Who sat where."""

    seat: Seat
    player_id: PlayerId


class _Record(Model):
    code: RoomCode
    match: int
    began_at: Instant
    ended_at: Instant
    players: tuple[Seated, ...]
    bots: tuple[Seat, ...]
    outcome: Outcome


class LiarsDiceRecord(_Record):
    """A finished match of liar's dice."""

    game: Literal["liars-dice"]
    public: LiarsDicePublic


class KeptReveal(Model):
    """How the last round ended, but for who voted what."""

    accepted: int
    minority: int
    ideal: int
    distance: int
    points: int
    reserve: bool


class KeptAlmostEven(Model):
    """What everybody saw at the end, but for who wrote and chose what."""

    round: int
    rounds: int
    dilemma: Dilemma | None
    scores: tuple[AlmostEvenScore, ...]
    reveal: KeptReveal | None


class AlmostEvenRecord(_Record):
    """A finished match of almost even."""

    game: Literal["almost-even"]
    public: KeptAlmostEven


class CrossedCoordinatesRecord(_Record):
    """A finished match of crossed coordinates."""

    game: Literal["crossed-coordinates"]
    public: CrossedCoordinatesPublic


Record = TypeAliasType(
    "Record",
    Annotated[
        LiarsDiceRecord | AlmostEvenRecord | CrossedCoordinatesRecord, Field(discriminator="game")
    ],
)
