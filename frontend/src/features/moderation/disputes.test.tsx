import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { AdminDispute } from "../../api/types";
import { ledgerEntry } from "../../test/fixtures";
import { mockApi, renderWithProviders } from "../../test/render-page";
import { Disputes } from "./disputes";

const adminDispute = (id: number, more: Partial<AdminDispute> = {}): AdminDispute => ({
  id,
  event: {
    id: 7,
    event_time: 1_767_225_600,
    received_at: null,
    identifier: "kill",
    state: "disputed",
    grade: "self_reported",
    key: null,
    reports: 1,
    killer: "Vexa",
    victim: "Orbit_7",
    player: null,
  },
  player: "Orbit_7",
  account: { discord_id: "5002", name: "ada" },
  reason: "I was in the hangar.",
  created_at: 1_767_225_600,
  state: "open",
  decided_at: null,
  is_suspended: true,
  stakes: [{ handle: "Vexa", points: 1_250 }],
  entry: null,
  ...more,
});

/** Serves disputes. Returns the decisions that are sent. */
function serve(disputes: AdminDispute[], reply: object = { entry: ledgerEntry(9, { action: "uphold" }) }): string[] {
  const sent: string[] = [];
  mockApi((url, { method, body }) => {
    if (url.pathname === "/api/admin/disputes") return { data: disputes };
    if (method === "POST") {
      sent.push(`${url.pathname} ${body}`);
      return reply;
    }
    return { data: [], next: null };
  });
  return sent;
}

test("disputes show the event, the account, the effect and the state", async () => {
  serve([adminDispute(2), adminDispute(1, { state: "dismissed", is_suspended: false, entry: 4, account: null })]);
  renderWithProviders(<Disputes />);
  const [, open, ended] = within(await screen.findByRole("table", { name: "Disputes" })).getAllByRole("row");
  if (!open || !ended) throw new Error("Missing rows.");
  expect(open).toHaveTextContent("Vexa → Orbit_7 self_reportedOrbit_7 ada (5002)I was in the hangar.Vexa 1,250");
  expect(open).toHaveTextContent("Open Does not count");
  expect(within(open).getByRole("link")).toHaveAttribute("href", "/activity/7");
  expect(ended).toHaveTextContent("Dismissed Entry 4");
  expect(within(ended).queryByRole("button")).toBeNull();
});

test.each([
  ["Uphold", "uphold"],
  ["Dismiss", "dismiss"],
])("to %s asks for a reason", async (label, decision) => {
  const sent = serve([adminDispute(2)]);
  renderWithProviders(<Disputes />);
  await userEvent.click(await screen.findByRole("button", { name: `${label} dispute 2` }));
  const dialog = within(screen.getByRole("dialog"));
  expect(dialog.getByRole("button", { name: label })).toBeDisabled();
  await userEvent.type(dialog.getByRole("textbox", { name: "Reason (public)" }), "A recording.");
  await userEvent.click(dialog.getByRole("button", { name: label }));
  await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
  expect(sent).toEqual([`/api/admin/disputes/2/decision {"decision":"${decision}","reason":"A recording."}`]);
});

test("a decision that fails says why", async () => {
  serve([adminDispute(2)], { status: 409, error: "This dispute has ended already.", code: "CONFLICT" });
  renderWithProviders(<Disputes />);
  await userEvent.click(await screen.findByRole("button", { name: "Uphold dispute 2" }));
  const dialog = within(screen.getByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox"), "x");
  await userEvent.click(dialog.getByRole("button", { name: "Uphold" }));
  expect(await dialog.findByRole("alert")).toHaveTextContent("This dispute has ended already.");
});

test("without disputes the section says so", async () => {
  serve([]);
  renderWithProviders(<Disputes />);
  expect(await screen.findByText("No disputes.")).toBeInTheDocument();
});
