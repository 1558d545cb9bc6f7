// Mock servers for Discord and the game's site, each in a separate process: `node mock-servers.mjs discord|game-site`. A server
// prints its address and accepts settings at `PUT /configure`. Tests start them with `startMockServer`.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(import.meta.url);

/** Starts a mock server. `configure` changes its behaviour. */
export async function startMockServer(which) {
  const child = spawn(process.execPath, [FILE, which], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (bytes) => {
      const address = /listening on (http:\/\/\S+)/.exec(String(bytes))?.[1];
      if (address) resolve(address);
    });
    child.on("exit", (code) => reject(new Error(`The mock server ${which} exited with ${code}.`)));
  });
  const configure = async (body) => {
    const response = await fetch(`${url}/configure`, { method: "PUT", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`The mock server ${which} rejected ${JSON.stringify(body)}.`);
  };
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { url, configure, stop };
}

/** Settings of a site that uses the mock server for sign-in. */
export const discordSettings = (discord) => ({
  APOGEE_DISCORD_CLIENT_ID: "100200300",
  APOGEE_DISCORD_CLIENT_SECRET: "a secret of this test",
  APOGEE_DISCORD_API_URL: `${discord.url}/api`,
  APOGEE_DISCORD_AUTHORIZE_URL: `${discord.url}/authorize`,
  APOGEE_DISCORD_CDN_URL: discord.url,
});

const bodyOf = async (request) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
};

const send = (response, status, type, body) => {
  response.writeHead(status, { "content-type": type });
  response.end(body);
};
const json = (response, status, body) => send(response, status, "application/json", JSON.stringify(body));
const html = (response, status, body) => send(response, status, "text/html; charset=utf-8", body);

/** Responds with a configured failure. Returns false if none is configured. */
function respondWithFailure(how, response) {
  if (how === "error") html(response, 500, "oops");
  else if (how === "hang-up") response.destroy();
  else if (how === "nonsense") html(response, 200, "<html><body><h1>We have moved</h1></body></html>");
  else return false;
  return true;
}

/** Discord: consent page, token exchange with PKCE (S256; each code is valid once), `/users/@me` and one avatar. */
async function discord() {
  const avatar = await readFile(new URL("../../assets/static/stickers/775678.png", import.meta.url));
  const codes = new Map();
  const tokens = new Map();
  let state = { user: { id: "100000000000000501", username: "kite", global_name: "Kite" }, fail: null };
  return async (request, response, url) => {
    if (url.pathname === "/configure") {
      state = { ...state, ...JSON.parse(await bodyOf(request)) };
      return json(response, 200, {});
    }
    if (url.pathname === "/authorize") {
      const params = Object.fromEntries(url.searchParams);
      const code = randomBytes(12).toString("hex");
      codes.set(code, params);
      const back = (answer) => `${params.redirect_uri}?${new URLSearchParams({ ...answer, state: params.state })}`;
      return html(
        response,
        200,
        `<!doctype html><link rel="icon" href="data:,"><h1>Let ${params.client_id} see ${params.scope}?</h1>
         <a href="${back({ code })}">Authorize</a> <a href="${back({ error: "access_denied" })}">Cancel</a>`,
      );
    }
    if (respondWithFailure(state.fail, response)) return;
    if (url.pathname === `/avatars/${state.user.id}/${state.user.avatar}.png`) return send(response, 200, "image/png", avatar);
    if (url.pathname === "/api/oauth2/token") {
      const form = new URLSearchParams(await bodyOf(request));
      const params = codes.get(form.get("code"));
      codes.delete(form.get("code"));
      const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
      const isSame = params?.code_challenge === challenge && params.redirect_uri === form.get("redirect_uri");
      if (!isSame) return json(response, 400, { error: "invalid_grant" });
      const token = randomBytes(12).toString("hex");
      tokens.set(`Bearer ${token}`, state.user);
      return json(response, 200, { access_token: token, token_type: "Bearer", expires_in: 600, scope: params.scope });
    }
    const user = tokens.get(request.headers.authorization);
    if (url.pathname !== "/api/users/@me" || !user) return json(response, 401, { message: "401: Unauthorized", code: 0 });
    json(response, 200, { discriminator: "0", avatar: null, email: "kite@example.org", ...user });
  };
}

/** The game's site: the configured citizen and bio in the markup of the real pages. */
async function gameSite() {
  const page = async (name) => readFile(new URL(`../data/game-site/${name}.html`, import.meta.url), "utf8");
  const [citizen, missing] = [await page("citizen-bio-code"), await page("missing-404")];
  let state = { handle: null, bio: "", fail: null };
  return async (request, response, url) => {
    if (url.pathname === "/configure") {
      state = { ...state, ...JSON.parse(await bodyOf(request)) };
      return json(response, 200, {});
    }
    if (respondWithFailure(state.fail, response)) return;
    const exists = state.handle && url.pathname.toLowerCase() === `/citizens/${state.handle}`.toLowerCase();
    if (!exists) return html(response, 404, missing);
    html(response, 200, citizen.replaceAll("Test_Pilot-7", state.handle).replaceAll("APOGEE-7K3M9QXW4HTR", state.bio));
  };
}

if (process.argv[1] === FILE) {
  const handler = process.argv[2] === "discord" ? await discord() : await gameSite();
  const server = createServer((request, response) => {
    handler(request, response, new URL(request.url, "http://localhost")).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  // Idle connections stay open: one that the server closes while the site uses it again would be a failure of the network.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
}
