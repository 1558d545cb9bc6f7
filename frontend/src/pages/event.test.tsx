import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { ActivityRow, EventAnswer } from "../api/types";
import { activityRow, eventReport } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

const kill = (more: Partial<ActivityRow> = {}) =>
  activityRow(7, { identifier: "kill", killer: "Vexa", victim: "Orbit_7", player_name: null, ...more });

function serve(answer: EventAnswer | object) {
  mockApi((url) => (url.pathname === "/api/activity/7" ? answer : undefined));
}

test("an event has its sentence, its facts and a title", async () => {
  serve({
    event: kill({ weapon: "behr_rifle", weapon_friendly_name: "P4-AR Rifle", patch: "ALPHA 4.3.2", orgs: ["NOVA"] }),
    reports: [eventReport()],
  });
  await renderPage("/activity/7");
  expect(await screen.findByRole("heading", { level: 1 })).toHaveTextContent("Vexa killed Orbit_7 with P4-AR Rifle");
  expect(document.title).toMatch(/^Event 7 - /);
  const facts = within(screen.getByRole("region", { name: "Facts" }));
  for (const fact of ["Persistent Universe", "ALPHA 4.3.2", "P4-AR Rifle"]) {
    expect(facts.getByText(fact)).toBeInTheDocument();
  }
  expect(facts.getByRole("link", { name: "NOVA" })).toHaveAttribute("href", "/guild/NOVA");
  expect(facts.queryByText("Vehicle")).toBeNull();
});

test("reports are listed with source, time and build", async () => {
  const unknown = { received_at: null, build: null, branch: null, channel: null };
  serve({ event: kill(), reports: [eventReport(), eventReport({ source: "third_party", ...unknown })] });
  await renderPage("/activity/7");
  const [first, second] = within(await screen.findByRole("list", { name: "Reports" })).getAllByRole("listitem");
  expect(first).toHaveTextContent("Killer's log");
  expect(first).toHaveTextContent("Build 10412345 · sc-alpha-4.3.2 · LIVE channel");
  expect(first).toHaveTextContent("Jan 1, 2026");
  expect(second?.textContent).toBe("Log of a player who did not take part");
});

test("an event without a page is not found", async () => {
  serve({ status: 404, error: "Event not found.", code: "NOT_FOUND" });
  await renderPage("/activity/7");
  expect(await screen.findByRole("heading", { name: "Event not found" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

test("an event that fails to load can be requested again", async () => {
  serve({ status: 503, error: "Busy.", code: "OVERLOADED" });
  await renderPage("/activity/7");
  expect(await screen.findByText("The event could not be loaded.")).toBeInTheDocument();
  serve({ event: kill(), reports: [eventReport()] });
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("list", { name: "Reports" })).toBeInTheDocument();
});
