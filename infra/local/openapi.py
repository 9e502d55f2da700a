"""Writes docs/openapi.json anew: `make openapi`, after a change to a model or a route."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from chalicelib.endpoints import RELEASE
from chalicelib.openapi import document
from chalicelib.routes import ROUTES

FILE: Final = Path(__file__).parents[2] / "docs/openapi.json"


def as_text(document: Any) -> str:
    """As it is committed: one line for each fact, so that a change can be read."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def main() -> int:
    FILE.write_text(as_text(document(ROUTES, RELEASE)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
