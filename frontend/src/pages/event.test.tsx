import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { ActivityRow } from "../api/types";
import { activityRow, eventAnswer } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

const kill = (more: Partial<ActivityRow> = {}) =>
  activityRow(7, { identifier: "kill", killer: "Vexa", victim: "Orbit_7", player_name: null, ...more });

function serve(answer: object, contact = "") {
  mockApi((url) => {
    if (url.pathname === "/api/config") return { site: { support_contact: contact } };
    return url.pathname === "/api/activity/7" ? answer : undefined;
  });
}

const fact = (label: string) => within(screen.getByText(label).parentElement as HTMLElement);

test("an event has its sentence, its facts and a title", async () => {
  const weapon = { weapon: "behr_rifle", weapon_friendly_name: "P4-AR Rifle" };
  serve(eventAnswer(kill({ ...weapon, patch: "ALPHA 4.3.2", orgs: ["NOVA"] })));
  await renderPage("/event/7");
  expect(await screen.findByRole("heading", { level: 1 })).toHaveTextContent("Vexa killed Orbit_7 with P4-AR Rifle");
  expect(document.title).toMatch(/^Event 7 - /);
  for (const [label, value] of [
    ["Mode", "Persistent Universe"],
    ["Patch", "ALPHA 4.3.2"],
    ["Weapon", "P4-AR Rifle"],
    ["Build", "10412345 · sc-alpha-4.3.2"],
    ["Received", /^Jan 1, 2026/],
  ] as const) {
    expect(fact(label).getByText(value)).toBeInTheDocument();
  }
  expect(screen.getByRole("link", { name: "NOVA" })).toHaveAttribute("href", "/guild/NOVA");
  for (const label of ["Vehicle", "Channel"]) expect(screen.queryByText(label)).toBeNull();
});

test.each([
  [["killer", "victim"], "both sides"],
  [["killer", "victim", "operator"], "both sides and the operator of this site"],
  [["killer"], "the killer's log"],
  [["victim"], "the victim's log"],
  [["victim", "operator"], "the victim's log and the operator of this site"],
  [["player"], "the player's log"],
  [["operator"], "the operator of this site"],
])("reports by %j are named", async (reportedBy, names) => {
  serve(eventAnswer(kill({ reported_by: reportedBy })));
  await renderPage("/event/7");
  expect(await screen.findByText(`Reported by ${names}`)).toBeInTheDocument();
});

test("an event of another channel says that it does not count", async () => {
  serve(eventAnswer(kill({ channel: "PTU" }), { build: null, branch: null, received_at: null }));
  await renderPage("/event/7");
  expect(await screen.findByText("PTU, does not count")).toBeInTheDocument();
  for (const label of ["Build", "Received"]) expect(screen.queryByText(label)).toBeNull();
});

test("a removed event shows only why and when it was removed", async () => {
  const removed = { reason: "Never happened.", at: 1_767_268_800 };
  serve({ event: null, build: null, branch: null, received_at: null, removed });
  await renderPage("/event/7");
  expect(await screen.findByRole("heading", { name: "An admin removed this event" })).toBeInTheDocument();
  expect(fact("Reason").getByText("Never happened.")).toBeInTheDocument();
  expect(fact("Removed").getByText(/^Jan 1, 2026/)).toBeInTheDocument();
  expect(screen.getAllByRole("term")).toHaveLength(2);
});

test.each([
  ["help@stats.test", "mailto:help@stats.test?subject=Event%207"],
  ["https://chat.test/stats", "https://chat.test/stats"],
])("questions go to the contact %s", async (contact, href) => {
  serve(eventAnswer(kill()), contact);
  await renderPage("/event/7");
  expect(await screen.findByRole("link", { name: contact })).toHaveAttribute("href", href);
});

test("a contact that is no address is a text, and without one there is no line", async () => {
  serve(eventAnswer(kill()), "Ada in the chat");
  const { unmount } = await renderPage("/event/7");
  expect(await screen.findByText("Questions about this event: Ada in the chat")).toBeInTheDocument();
  unmount();
  serve(eventAnswer(kill()));
  await renderPage("/event/7");
  expect(await screen.findByText("Reported by the operator of this site")).toBeInTheDocument();
  expect(screen.queryByText(/Questions/)).toBeNull();
});

test("an event without a page is not found", async () => {
  serve({ status: 404, error: "Event not found.", code: "NOT_FOUND" });
  await renderPage("/event/7");
  expect(await screen.findByRole("heading", { name: "Event not found" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

test("an event that fails to load can be requested again", async () => {
  serve({ status: 503, error: "Busy.", code: "OVERLOADED" });
  await renderPage("/event/7");
  expect(await screen.findByText("The event could not be loaded.")).toBeInTheDocument();
  serve(eventAnswer(kill()));
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Reported by the operator of this site")).toBeInTheDocument();
});
