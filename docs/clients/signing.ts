// Signs requests as one player, in browsers and Node 20: no package is needed.
const text = new TextEncoder();
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

export class Player {
  private constructor(private key: CryptoKey, readonly keyid: string, private offset = 0) {}

  /** Keep the pair (IndexedDB takes it as it is) and be the same player tomorrow. */
  static async of(pair: CryptoKeyPair): Promise<Player> {
    const raw = base64(await crypto.subtle.exportKey("raw", pair.publicKey));
    const url = raw.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    return new Player(pair.privateKey, `ed25519:${url}`);
  }

  /** Like `fetch`. Hand in an Idempotency-Key with every POST, and the same one to try again. */
  async fetch(address: string, init: RequestInit & { body?: string } = {}): Promise<Response> {
    const answer = await fetch(address, await this.signed(address, init));
    if (answer.status !== 401) return answer;
    const problem = await answer.clone().json();
    if (problem.code !== "signature-expired") return answer;
    this.offset = problem.server_now - Date.now();
    return fetch(address, await this.signed(address, init));
  }

  private async signed(address: string, init: RequestInit & { body?: string }) {
    const { host, pathname, searchParams } = new URL(address);
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    const lines = [['"@method"', method], ['"@authority"', host], ['"@path"', pathname]];
    for (const [name, value] of searchParams) lines.push([`"@query-param";name="${name}"`, value]);
    if (init.body !== undefined) {
      headers.set("Content-Type", "application/json");
      const digest = await crypto.subtle.digest("SHA-256", text.encode(init.body));
      headers.set("Content-Digest", `sha-256=:${base64(digest)}:`);
    }
    for (const name of ["content-digest", "idempotency-key"])
      if (headers.has(name)) lines.push([`"${name}"`, headers.get(name)!]);
    const created = Math.floor((Date.now() + this.offset) / 1000);
    const covered = lines.map(([name]) => name).join(" ");
    const params = `(${covered});created=${created};keyid="${this.keyid}"`;
    const base = [...lines, ['"@signature-params"', params]].map((line) => line.join(": "));
    const made = await crypto.subtle.sign("Ed25519", this.key, text.encode(base.join("\n")));
    headers.set("Signature-Input", `me=${params}`);
    headers.set("Signature", `me=:${base64(made)}:`);
    return { ...init, headers };
  }
}
