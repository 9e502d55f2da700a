"""A generated client and the guide's signing hook against a running server."""

import os
import time
import uuid

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from signing import Player
from sobremesa_client import AuthenticatedClient
from sobremesa_client.api.rooms import act, create_room, read_room
from sobremesa_client.models import (
    Acted,
    ActionRequest,
    AddBotAction,
    LiarsDiceMatch,
    NewRoom,
    Problem,
    StartAction,
    View,
)

player = Player(Ed25519PrivateKey.generate())
player.offset = -3_600.0  # a clock that is an hour late
client = AuthenticatedClient(os.environ["URL"], token="-", httpx_args={"auth": player})


def key() -> str:
    return uuid.uuid4().hex


body = NewRoom(game="liars-dice", visibility="private", name="Ada")
view = create_room.sync(client=client, body=body, idempotency_key=key())
assert isinstance(view, View), view
code = view.room.code
for action in (AddBotAction(type_="add-bot"), StartAction(type_="start", match=1)):
    done = act.sync(code, client=client, body=ActionRequest(action=action), idempotency_key=key())
    assert isinstance(done, Acted), done
while True:
    answer = read_room.sync_detailed(code, client=client)
    view = answer.parsed
    assert isinstance(view, View), view
    match = view.match
    assert isinstance(match, LiarsDiceMatch), match
    if match.your_move:
        break
    time.sleep(view.poll_after_ms / 1_000)
again = read_room.sync_detailed(code, client=client, if_none_match=answer.headers["etag"])
assert again.status_code == 304, again
nobody = read_room.sync("ZZZZZZ", client=client)
assert isinstance(nobody, Problem)
assert nobody.code == "not-found"
client.get_httpx_client().close()
print("my dice:", match.private.dice)
