import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { UserView } from "../api/types";
import { currentSession, logIn, logOut } from "../features/sessions/session-store";
import { mockApi, renderPage } from "../test/render-page";

/** The answer to all reading requests of the page. */
const NOTHING = { sessions: [] };

beforeEach(async () => {
  mockApi(() => NOTHING);
  await act(async () => {
    await logOut();
    logIn({ discord_id: "7", discord_username: "ada", handle: "Kestrel", org_short: "NOVA" } as UserView, "t");
  });
});

test("an account is deleted after a confirmation, and the session ends", async () => {
  const calls: string[] = [];
  mockApi((url, request) => {
    if (request.method !== "GET") calls.push(`${request.method} ${url.pathname}`);
    return NOTHING;
  });
  const { address } = await renderPage("/profile/data");
  await userEvent.click(screen.getByRole("button", { name: "Delete my account" }));
  expect(calls).not.toContain("DELETE /api/me");
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete account" }));
  await waitFor(() => expect(address().pathname).toBe("/"));
  // The session was deleted with the account, so no sign-out is sent.
  expect(calls.filter((one) => !one.startsWith("GET") && !one.startsWith("HEAD"))).toEqual(["DELETE /api/me"]);
  expect(currentSession().user).toBeNull();
});

test("a deletion that fails says why and keeps the session", async () => {
  mockApi((url) => (url.pathname === "/api/me" ? { status: 503, error: "Busy.", code: "OVERLOADED" } : NOTHING));
  await renderPage("/profile/data");
  await userEvent.click(screen.getByRole("button", { name: "Delete my account" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete account" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Busy.");
  expect(currentSession().user?.discord_id).toBe("7");
});

test("unlinking removes the user's player", async () => {
  await renderPage("/profile/data");
  await userEvent.click(screen.getByRole("button", { name: "Unlink my profile" }));
  await userEvent.click(screen.getByRole("button", { name: "Unlink" }));
  await screen.findByRole("button", { name: "Delete my account" });
  expect(screen.queryByRole("button", { name: "Unlink my profile" })).toBeNull();
  expect(currentSession().user).toMatchObject({ handle: null, org_short: null });
});
