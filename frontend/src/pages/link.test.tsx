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
  const verifier = oauth.verifierOf(state);
  expect(await oauth.pkceChallenge(verifier ?? "")).toBe(url.searchParams.get("code_challenge"));
  expect(oauth.verifierOf("another state")).toBeNull();
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

const MISMATCH = /was not started in this browser/;

/** Answers the calls of a sign-in. Codes of `pending` get no answer. */
function mockSignIn(pending: string[] = []): string[] {
  const codes: string[] = [];
  mockApi((url, request) => {
    if (url.pathname === "/api/config") return { discord };
    if (url.pathname === "/api/auth/discord/callback") {
      const { code } = JSON.parse(request.body);
      codes.push(code);
      return pending.includes(code) ? new Promise(() => {}) : { user, token: `jwt-${code}` };
    }
    if (url.pathname === "/api/link/discord-login") return { user };
    return undefined;
  });
  return codes;
}

test("a second callback and a used address opened again show the session and no error", async () => {
  const state = (await begin()).searchParams.get("state");
  const codes = mockSignIn();
  const first = await renderPage(`/link?code=A&state=${state}`);
  await screen.findByText("Your account is linked.");
  first.unmount();
  for (const code of ["B", "A"]) {
    const page = await renderPage(`/link?code=${code}&state=${state}`);
    expect(await screen.findByText(/You are linked as/)).toBeInTheDocument();
    expect(screen.queryByText(MISMATCH)).not.toBeInTheDocument();
    await waitFor(() => expect(page.address().search).toBe(""));
    page.unmount();
  }
  expect(codes).toEqual(["A"]);
  expect(localStorage.getItem("jwt")).toBe("jwt-A");
});

test("a second callback during the call of the first signs the user in", async () => {
  const state = (await begin()).searchParams.get("state");
  const codes = mockSignIn(["A"]);
  const first = await renderPage(`/link?code=A&state=${state}`);
  await waitFor(() => expect(codes).toEqual(["A"]));
  first.unmount();
  await renderPage(`/link?code=B&state=${state}`);
  expect(await screen.findByText("Your account is linked.")).toBeInTheDocument();
  expect(localStorage.getItem("jwt")).toBe("jwt-B");
});

test("the same callback twice during its call signs the user in once", async () => {
  const state = (await begin()).searchParams.get("state");
  const codes: string[] = [];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  mockApi((url, request) => {
    if (url.pathname === "/api/config") return { discord };
    if (url.pathname === "/api/link/discord-login") return { user };
    if (url.pathname !== "/api/auth/discord/callback") return undefined;
    codes.push(JSON.parse(request.body).code);
    // The server accepts a code once.
    return codes.length > 1
      ? { status: 401, error: "Discord refused the code." }
      : answered.then(() => ({ user, token: "jwt-A" }));
  });
  const address = `/link?code=A&state=${state}`;
  const first = await renderPage(address);
  await waitFor(() => expect(codes).toEqual(["A"]));
  first.unmount();
  await renderPage(address);
  expect(await screen.findByText("Linking your account...")).toBeInTheDocument();
  answer();
  expect(await screen.findByText("Your account is linked.")).toBeInTheDocument();
  expect(screen.queryByRole("alert")).not.toBeInTheDocument();
  expect(codes).toEqual(["A"]);
  expect(localStorage.getItem("jwt")).toBe("jwt-A");
});

test("a used address is an error when nobody is signed in", async () => {
  const state = (await begin()).searchParams.get("state");
  mockSignIn();
  const first = await renderPage(`/link?code=A&state=${state}`);
  await screen.findByText("Your account is linked.");
  first.unmount();
  await logOut();
  await renderPage(`/link?code=A&state=${state}`);
  expect(await screen.findByText(MISMATCH)).toBeInTheDocument();
});

test("a browser that stores nothing gets a sentence that names the storage", async () => {
  mockSignIn();
  await renderPage("/link");
  const setItem = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  try {
    await userEvent.click(await screen.findByRole("button", { name: "Link with Discord" }));
    expect(await screen.findByText(/Allow cookies and site data for this site, or free space/)).toBeInTheDocument();
  } finally {
    setItem.mockRestore();
  }
});
