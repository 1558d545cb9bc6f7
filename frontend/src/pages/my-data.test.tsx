import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { HeldPage, UserView } from "../api/types";
import { currentSession, logIn, logOut } from "../features/sessions/session-store";
import { activityRow } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

/** The answer to all reading requests of the page. */
const NOTHING = { sessions: [], summary: [], data: [], next: null };

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

const unclaimed: HeldPage = {
  summary: [
    { reason: "unclaimed", events: 1_234 },
    { reason: "third_party", events: 1 },
  ],
  data: [
    { event: activityRow(3), reasons: ["unclaimed"] },
    { event: activityRow(2, { identifier: "kill", killer: "Vexa", victim: "Orbit_7" }), reasons: ["third_party"] },
  ],
  next: 2,
};

/** Serves pages of held events by their `before`. */
function held(pages: Record<string, HeldPage | object>) {
  mockApi((url) => (url.pathname === "/api/me/held" ? pages[url.searchParams.get("before") ?? ""] : NOTHING));
}

const heldSection = () => screen.findByRole("region", { name: "Events that do not count" });

test("held events are counted by reason, with the way to make them count", async () => {
  held({ "": unclaimed });
  await renderPage("/profile/data");
  const section = within(await heldSection());
  const [first, second] = within(await section.findByRole("list", { name: "Reasons" })).getAllByRole("listitem");
  expect(first).toHaveTextContent(
    "1,234Player not claimedThe log names a player whom no account has claimed.Counts as soon as the account that reported it claims the player.",
  );
  expect(section.getByRole("link", { name: "Claim your player" })).toHaveAttribute("href", "/player/claim");
  expect(second).toHaveTextContent("1Reported by others only");
});

test("only held events that have a page are links, and more are loaded by a button", async () => {
  held({ "": unclaimed, 2: { summary: [], data: [{ event: activityRow(1), reasons: ["two_logs"] }], next: null } });
  await renderPage("/profile/data");
  const list = within(await screen.findByRole("list", { name: "Events that do not count" }));
  expect(list.getByText("Pilot_3 came online")).toBeInTheDocument();
  expect(list.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/activity/2"]);
  await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  expect(await list.findByText(/Two logs at a time/)).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test("without held events the page says so", async () => {
  await renderPage("/profile/data");
  expect(within(await heldSection()).getByText("All your events count.")).toBeInTheDocument();
});

test("held events that fail to load can be requested again", async () => {
  held({ "": { status: 503, error: "Busy.", code: "OVERLOADED" } });
  await renderPage("/profile/data");
  const section = within(await heldSection());
  expect(await section.findByText("Your events could not be loaded.")).toBeInTheDocument();
  held({ "": unclaimed });
  await userEvent.click(section.getByRole("button", { name: "Try again" }));
  expect(await section.findByText("Player not claimed")).toBeInTheDocument();
});
