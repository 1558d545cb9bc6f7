import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import * as oauth from "../features/sessions/oauth";
import { logOut } from "../features/sessions/session-store";
import { mockApi, renderPage } from "../test/render-page";

const discord = {
  clientId: "42",
  redirectUri: "http://site.test/link",
  authorizeUrl: "https://discord.test/oauth2/authorize",
};
const user = { discord_id: "7", discord_username: "ada", handle: null, org_short: null };

beforeEach(async () => {
  sessionStorage.clear();
  await logOut();
});

/** Presses the button and returns the URL it leads to. */
async function begin(): Promise<URL> {
  const redirect = vi.spyOn(oauth, "redirectTo").mockImplementation(() => {});
  redirect.mockClear();
  mockApi((url) => (url.pathname === "/api/config" ? { discord } : undefined));
  const page = await renderPage("/link");
  await userEvent.click(await screen.findByRole("button", { name: "Link with Discord" }));
  await waitFor(() => expect(redirect).toHaveBeenCalled());
  page.unmount();
  return new URL(redirect.mock.calls[0]?.[0] ?? "");
}

test("the authorization URL has client, redirect, scopes, a one-time state and the verifier's challenge", async () => {
  const url = await begin();
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: "42",
    redirect_uri: "http://site.test/link",
    response_type: "code",
    scope: "identify email",
    code_challenge_method: "S256",
  });
  const state = url.searchParams.get("state") ?? "";
  expect(state.length).toBeGreaterThanOrEqual(43);
  const verifier = oauth.consumeVerifier(state);
  expect(await oauth.pkceChallenge(verifier ?? "")).toBe(url.searchParams.get("code_challenge"));
  expect(oauth.consumeVerifier(state)).toBeNull();
});

test("the challenge is that of RFC 7636", async () => {
  expect(await oauth.pkceChallenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});

test("a code becomes a session, leaves the address, and home follows after 1.5 s", async () => {
  const state = (await begin()).searchParams.get("state");
  const bodies: unknown[] = [];
  mockApi((url, request) => {
    if (url.pathname === "/api/config") return { discord };
    if (url.pathname === "/api/auth/discord/callback") {
      bodies.push(JSON.parse(request.body));
      return { user, token: "jwt-1" };
    }
    if (url.pathname === "/api/link/discord-login") return { user };
    return undefined;
  });
  const { address } = await renderPage(`/link?code=abc&state=${state}`);
  expect(await screen.findByText("Your account is linked.")).toBeInTheDocument();
  await waitFor(() => expect(address().search).toBe(""));
  expect(bodies).toEqual([
    { code: "abc", redirect_uri: discord.redirectUri, code_verifier: expect.stringMatching(/^.{43}$/) },
  ]);
  expect(localStorage.getItem("jwt")).toBe("jwt-1");
  expect(address().pathname).toBe("/link");
  await waitFor(() => expect(address().pathname).toBe("/"));
});
