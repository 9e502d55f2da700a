"""What operations share: parameters, headers, tags, and the codes that any request can meet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..endpoints import DEVICE, MOST, PLAYER, USUAL
from ..games import GAMES
from ..games.liars_dice.odds import MOST_UNKNOWN
from ..http import KEY
from ..service import CODE_LENGTH, CODE_LETTERS

Schema = dict[str, Any]

SCHEMAS: Final = "#/components/schemas/"
EVERYWHERE: Final = (
    *("method-not-allowed", "too-large", "unsupported-media-type", "too-many-requests"),
    *("internal", "try-again"),
)
UNSIGNED: Final = (
    *("signature-missing", "signature-invalid", "signature-expired", "digest-mismatch"),
)
TAGS: Final = {
    "service": "The service itself.",
    "games": "Catalogues: the same for everybody, to be kept for five minutes.",
    "rooms": "Rooms, matches and moves.",
    "me": "What belongs to the key that signs.",
    "players": (
        "What everybody may see of players. TEMPLE is their rating: an Elo over the final "
        "positions of ranked matches of liar's dice, and of nothing else. It starts at 1500 and "
        "never falls below 100; through the first 10 such matches it is provisional, shown with "
        'a "?", and from then on it is on the leaderboard.'
    ),
}
TAG_OF: Final = {"leaderboard": "players", "health": "service", "openapi.json": "service"}

PATH: Final[Mapping[str, Schema]] = {
    "code": {
        "description": "The room's code, in any case.",
        "schema": {
            "type": "string",
            "pattern": f"^[{CODE_LETTERS}{CODE_LETTERS.lower()}]{{{CODE_LENGTH}}}$",
        },
        "example": "KRTWMN",
    },
    "n": {
        "description": "The match's number, from 1.",
        "schema": {"type": "integer", "minimum": 1, "maximum": 999_999},
    },
    "game": {
        "description": "The game's key.",
        "schema": {"type": "string", "enum": list(GAMES)},
    },
    "player_id": {
        "description": "A player's id.",
        "schema": {"type": "string", "pattern": f"^{PLAYER.pattern}$"},
        "example": "2bqu3wmxfhv6e2etrjugyempyn",
    },
    "device_id": {
        "description": "What the client calls the device.",
        "schema": {"type": "string", "pattern": f"^{DEVICE.pattern}$"},
        "example": "phone-1",
    },
}
QUERY: Final[Mapping[str, Schema]] = {
    "limit": {
        "description": "How many items at most.",
        "schema": {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL},
    },
    "cursor": {
        "description": "The `next_cursor` of the page before.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"},
    },
    "game": {
        "description": "Rooms of this game only.",
        "schema": {"type": "string", "enum": list(GAMES)},
    },
    "unknown_dice": {
        "description": "This number of dice only.",
        "schema": {"type": "integer", "minimum": 0, "maximum": MOST_UNKNOWN},
    },
}
HEADERS_IN: Final[Mapping[str, Schema]] = {
    "AcceptLanguage": {
        "name": "Accept-Language",
        "description": "Which language words come in.",
        "schema": {"type": "string"},
        "example": "en",
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "description": "The ETag of the view that is there already.",
        "schema": {"type": "string"},
        "example": 'W/"7-7b1f0a2c9d3e4f506172"',
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "description": "Random, one for each thing that should happen once; a UUID will do.",
        "required": True,
        "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
        "example": "2f1c9a50-7d1e-4c55-9b0e-0d6a1f9f3a57",
    },
}
INT64: Final = {"type": "integer", "format": "int64"}
HEADERS_OUT: Final[Mapping[str, Schema]] = {
    "Server-Now": {
        "description": "Epoch ms by the clock of deadlines, with a 401 too.",
        "schema": INT64,
    },
    "Cache-Control": {"description": "Who may keep it.", "schema": {"type": "string"}},
    "ETag": {
        "description": "Weak; moves if and only if what this viewer sees moves.",
        "schema": {"type": "string"},
    },
    "Poll-After-Ms": {"description": "How long to wait.", "schema": {"type": "integer"}},
    "Idempotency-Replayed": {
        "description": "There, and `true`, if this had been accepted before.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Retry-After": {"description": "Whole seconds to wait.", "schema": {"type": "integer"}},
    "Allow": {"description": "The methods of this path.", "schema": {"type": "string"}},
    "Vary": {"description": "What the words go by.", "schema": {"type": "string"}},
}
WAITS: Final = ("too-early", "too-many-requests", "try-again")


def headers(*names: str) -> Schema:
    """These headers of an answer."""
    return {name: {"$ref": f"#/components/headers/{header_key(name)}"} for name in names}


def header_key(name: str) -> str:
    """What a header is called among the components."""
    return name.replace("-", "")


def plain(text: str) -> str:
    """In one line, without the numbers of our own rule book."""
    return re.sub(r" \([A-Z]{1,2}-\d+(, [A-Z]{1,2}-\d+)*\)", "", " ".join(text.split()))
