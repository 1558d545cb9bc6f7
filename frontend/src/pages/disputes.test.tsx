import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { ActivityRow, DisputePage, OwnDispute, UserView } from "../api/types";
import { logIn, logOut } from "../features/sessions/session-store";
import { activityRow, evidence } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

const signIn = (handle: string | null) =>
  act(() => logIn({ discord_id: "7", discord_username: "ada", handle, org_short: null } as UserView, "t"));

beforeEach(async () => {
  mockApi(() => ({}));
  await act(async () => logOut());
});

const kill = (more: Partial<ActivityRow> = {}) =>
  activityRow(7, { identifier: "kill", killer: "Vexa", victim: "Orbit_7", player_name: null, ...more });

const ownDispute = (more: Partial<OwnDispute> = {}): OwnDispute => ({
  id: 1,
  event_id: "7",
  reason: "I was in the hangar.",
  created_at: 1_767_225_600,
  state: "open",
  decided_at: null,
  is_suspended: true,
  entry: null,
  ...more,
});

interface Site {
  disputes?: OwnDispute[];
  left?: number;
  /** The answer to changes. */
  reply?: object;
  event?: ActivityRow;
}

/** Serves an event and the user's disputes. Returns the changes that are sent. */
function serve({ disputes = [], left = 5, reply, event = kill() }: Site = {}): string[] {
  const sent: string[] = [];
  const page: DisputePage = { data: disputes.map((dispute) => ({ dispute, event })), left_today: left, next: null };
  mockApi((url, { method, body }) => {
    if (url.pathname === "/api/activity/7") return { event };
    if (url.pathname === "/api/activity/7/evidence") return evidence(7);
    if (url.pathname === "/api/me/disputes") return page;
    if (url.pathname === "/api/activity/7/dispute") {
      sent.push(`${method} ${body}`.trim());
      return reply ?? { dispute: ownDispute(), message: "The event does not count.", left_today: left - 1 };
    }
    return { sessions: [], summary: [], data: [], next: null };
  });
  return sent;
}

const section = async () => within(await screen.findByRole("region", { name: "Dispute" }));

test("a player whom the event names disputes it with a reason", async () => {
  signIn("orbit_7");
  const sent = serve({ left: 3 });
  await renderPage("/activity/7");
  await userEvent.click((await section()).getByRole("button", { name: "Dispute" }));
  const dialog = within(screen.getByRole("dialog"));
  expect(dialog.getByText(/You can dispute 3 more events today/)).toBeInTheDocument();
  expect(dialog.getByRole("button", { name: "Dispute" })).toBeDisabled();
  await userEvent.type(dialog.getByRole("textbox", { name: "Reason (for admins)" }), " I was{enter}in the hangar. ");
  await userEvent.click(dialog.getByRole("button", { name: "Dispute" }));
  await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
  expect(sent).toEqual(['POST {"reason":"I was in the hangar."}']);
  expect(await screen.findByText("The event does not count.")).toBeInTheDocument();
});

test.each([[null], ["Stranger"]])("others are not offered a dispute: %s", async (handle) => {
  if (handle) signIn(handle);
  serve();
  await renderPage("/activity/7");
  await screen.findByRole("region", { name: "Evidence" });
  expect(screen.queryByRole("region", { name: "Dispute" })).toBeNull();
});

test("an NPC with the name of the player is not that player", async () => {
  signIn("Orbit_7");
  serve({ event: kill({ victim_is_npc: true }) });
  await renderPage("/activity/7");
  await screen.findByRole("region", { name: "Evidence" });
  expect(screen.queryByRole("region", { name: "Dispute" })).toBeNull();
});

test("after five disputes the page says when to come back", async () => {
  signIn("Orbit_7");
  serve({ left: 0 });
  await renderPage("/activity/7");
  expect((await section()).getByText(/Please try again tomorrow/)).toBeInTheDocument();
});

test("a dispute that fails says why and keeps the text", async () => {
  signIn("Orbit_7");
  serve({ reply: { status: 429, error: "You can dispute 5 events a day (UTC).", code: "RATE_LIMIT_EXCEEDED" } });
  await renderPage("/activity/7");
  await userEvent.click((await section()).getByRole("button", { name: "Dispute" }));
  const dialog = within(screen.getByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox"), "No.");
  await userEvent.click(dialog.getByRole("button", { name: "Dispute" }));
  expect(await dialog.findByRole("alert")).toHaveTextContent("You can dispute 5 events a day (UTC).");
  expect(dialog.getByRole("textbox")).toHaveValue("No.");
});

test("the own dispute is shown with its state and can be taken back", async () => {
  signIn("Orbit_7");
  const sent = serve({ disputes: [ownDispute()] });
  await renderPage("/activity/7");
  const own = await section();
  expect(own.getByText("Open: the event does not count until an admin decides.")).toBeInTheDocument();
  await userEvent.click(own.getByRole("button", { name: "Take back" }));
  expect(sent).toEqual([]);
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Take back" }));
  await expect.poll(() => sent).toEqual(["DELETE"]);
});

test("My data lists the own disputes with their outcomes", async () => {
  signIn("Orbit_7");
  serve({
    disputes: [
      ownDispute({ id: 3, is_suspended: false }),
      ownDispute({ id: 2, state: "upheld", entry: 12 }),
      ownDispute({ id: 1, state: "withdrawn" }),
    ],
  });
  await renderPage("/profile/data");
  const items = within(await screen.findByRole("list", { name: "Your disputes" })).getAllByRole("listitem");
  expect(items[0]).toHaveTextContent("Open: the event keeps counting");
  expect(within(items[0] as HTMLElement).getByRole("link")).toHaveAttribute("href", "/activity/7");
  expect(items[1]).toHaveTextContent("Upheld: the event never counts.");
  expect(within(items[1] as HTMLElement).getByRole("link", { name: "moderation ledger" })).toBeInTheDocument();
  expect(screen.getAllByRole("button", { name: "Take back" })).toHaveLength(1);
});
