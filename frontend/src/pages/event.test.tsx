import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { ActivityRow, EventEvidence } from "../api/types";
import { activityRow, evidence, evidenceReport } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

const kill = (more: Partial<ActivityRow> = {}) =>
  activityRow(7, { identifier: "kill", killer: "Vexa", victim: "Orbit_7", player_name: null, ...more });

/** Serves an event and its evidence. */
function serve(event: ActivityRow | object, found: EventEvidence | object) {
  mockApi((url) => {
    if (url.pathname === "/api/activity/7") return "id" in event ? { event } : event;
    return url.pathname === "/api/activity/7/evidence" ? found : undefined;
  });
}

const evidenceSection = async () => within(await screen.findByRole("region", { name: "Evidence" }));

test("an event has its sentence, its facts and a title", async () => {
  serve(
    kill({ weapon: "behr_rifle", weapon_friendly_name: "P4-AR Rifle", patch: "ALPHA 4.3.2", orgs: ["NOVA"] }),
    evidence(7),
  );
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

test.each([
  ["operator", "Operator", "The operator of this site reported it."],
  ["confirmed", "Confirmed", "Independent accounts of both sides reported it."],
  ["conceded", "Conceded", "Only the side that it counts against reported it."],
  ["self_reported", "Self-reported", "Only the side that it counts for reported it."],
  ["third_party", "Third party", "Nobody who took part reported it."],
  ["gold_plated", "gold plated", "This page does not know the grade."],
])("the grade %s is explained in one sentence", async (grade, label, text) => {
  serve(kill(), evidence(7, { grade }));
  await renderPage("/activity/7");
  const section = await evidenceSection();
  expect(await section.findByRole("heading", { name: label })).toBeInTheDocument();
  expect(section.getByText(text)).toBeInTheDocument();
});

test("a kill that only the killer reported counts for the killer and not against the victim", async () => {
  serve(kill(), evidence(7, { grade: "self_reported", counts: ["killer"] }));
  await renderPage("/activity/7");
  const sides = await screen.findByRole("list", { name: "For whom it counts" });
  expect(
    within(sides)
      .getAllByRole("listitem")
      .map((side) => side.textContent),
  ).toEqual([
    "Vexa KillerCounts",
    "Orbit_7 VictimDoes not countCounts against Orbit_7 once their own account reports it, too.",
  ]);
});

test("NPCs have no side, and hidden players no link", async () => {
  serve(kill({ killer: "Hidden", victim: "Grunt", victim_is_npc: true }), evidence(7, { counts: ["killer"] }));
  await renderPage("/activity/7");
  const sides = within(await screen.findByRole("list", { name: "For whom it counts" }));
  expect(sides.getAllByRole("listitem")).toHaveLength(1);
  expect(sides.queryByRole("link")).toBeNull();
});

test("an event that does not count says why and what changes that", async () => {
  serve(
    kill(),
    evidence(7, { grade: "third_party", state: "held", reasons: ["third_party", "other_channel"], counts: [] }),
  );
  await renderPage("/activity/7");
  const reasons = await screen.findByRole("list", { name: "Why it does not count" });
  expect(
    within(reasons)
      .getAllByRole("listitem")
      .map((reason) => reason.textContent),
  ).toEqual([
    "Reported by others onlyNobody who took part reported it.Counts once the account of a player who took part reports it from that player's own log.",
    "Not the live gameThe log comes from a test server. Only the LIVE channel counts.Nothing changes this.",
  ]);
});

test("reports are listed with source, time, build and contradictions", async () => {
  const reports = [
    evidenceReport({ stands: true, is_independent: true }),
    evidenceReport({ source: "victim" }),
    evidenceReport({
      source: "third_party",
      received_at: null,
      build: null,
      branch: null,
      channel: null,
      differs: { game_mode: "AC", zone: "pyro4" },
    }),
  ];
  serve(kill(), evidence(7, { grade: "confirmed", reports }));
  await renderPage("/activity/7");
  const list = await screen.findByRole("list", { name: "Reports" });
  const [first, , third] = within(list).getAllByRole("listitem");
  expect(first).toHaveTextContent("Account of the killerStandsIndependent");
  expect(first).toHaveTextContent("Build 10412345 · sc-alpha-4.3.2 · LIVE channel");
  expect(first).toHaveTextContent("Jan 1, 2026");
  expect(third).toHaveTextContent(
    "Account of a player who did not take partTime not storedBuild not storedDiffers: Game mode AC, Place pyro4",
  );
  const contradictions = within(screen.getByRole("list", { name: "Contradictions" })).getAllByRole("listitem");
  expect(contradictions.map((one) => one.textContent)).toEqual([
    "Game mode: 1 of 3 reports says AC instead of PU.",
    "Place: 1 of 3 reports says pyro4.",
  ]);
});

test("an event without a page is not found", async () => {
  serve({ status: 404, error: "Event not found.", code: "NOT_FOUND" }, evidence(7));
  await renderPage("/activity/7");
  expect(await screen.findByRole("heading", { name: "Event not found" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

test("an event and its evidence that fail to load can be requested again", async () => {
  const broken = { status: 503, error: "Busy.", code: "OVERLOADED" };
  serve(broken, broken);
  await renderPage("/activity/7");
  expect(await screen.findByText("The event could not be loaded.")).toBeInTheDocument();
  serve(kill(), broken);
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("The evidence could not be loaded.")).toBeInTheDocument();
  serve(kill(), evidence(7));
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("list", { name: "Reports" })).toBeInTheDocument();
});
