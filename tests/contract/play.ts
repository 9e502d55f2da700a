// Generated types and the guide's signing hook against a running server.
import type { components } from "./api.js";
import { Player } from "./signing.js";

type View = components["schemas"]["View"];
type Acted = components["schemas"]["Acted"];
type Action = components["schemas"]["Action"];

const url = process.env.URL!;
const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
const me = await Player.of(pair as CryptoKeyPair);

async function post<T>(path: string, body: object): Promise<T> {
  const answer = await me.fetch(`${url}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Idempotency-Key": crypto.randomUUID() },
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json() as Promise<T>;
}

const room: components["schemas"]["NewRoom"] = { game: "liars-dice", visibility: "private" };
const path = `/v1/rooms/${(await post<View>("/v1/rooms", room)).room.code}`;
const act = (action: Action, decision?: number) =>
  post<Acted>(`${path}/actions`, { action, ...(decision === undefined ? {} : { decision }) });

await act({ type: "add-bot" });
let view = (await act({ type: "start", match: 1 })).view!;
let etag = "";
while (!view.match!.your_move) {
  await new Promise((done) => setTimeout(done, view.poll_after_ms));
  const answer = await me.fetch(`${url}${path}`, { headers: { "If-None-Match": etag } });
  etag = answer.headers.get("ETag")!;
  if (answer.status === 200) view = (await answer.json()) as View;
}
const match = view.match!;
if (match.game !== "liars-dice") throw new Error(match.game);
const last = match.public.bids.at(-1);
const done = await act(
  last ? { type: "challenge" } : { type: "bid", quantity: 1, face: 2 },
  match.decision,
);
const page = await me.fetch(`${url}/v1/me/results?limit=1`);
if (page.status !== 200) throw new Error(await page.text());
console.log("my dice:", match.private!.dice, done.receipt.decision);
