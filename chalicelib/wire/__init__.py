"""What goes over the wire, as models (API.md): the OpenAPI document is made from these, and nothing
that serves a request imports them. A test holds what the app really says against them, and none
may say more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from . import answers, matches, requests

MODELS: Final[Mapping[str, Any]] = {
    **vars(answers),
    **vars(matches),
    **vars(requests),
}
"""By the name that a route gives."""
