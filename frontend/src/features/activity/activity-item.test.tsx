import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ActivityRow } from "../../api/types";
import { activityRow } from "../../test/fixtures";
import { renderWithProviders } from "../../test/render-page";
import { ActivityItem } from "./activity-item";
import { sentenceOf } from "./sentence";

const AT = 1_760_000_000;

const row = (more: Partial<ActivityRow>): ActivityRow => ({
  ...activityRow(1),
  identifier: "kill",
  event_time: AT,
  player_name: null,
  ...more,
});

const both = { killer: "Vexa", victim: "Orbit_7" };
const ship = { vehicle_name: "AEGS_Sabre_Comet", vehicle_friendly_name: "Sabre Comet" };

test.each<[string, Partial<ActivityRow>, string | null]>([
  [
    "a kill with a weapon",
    { ...both, weapon: "ksar_rifle_energy_01", weapon_friendly_name: "Karna Rifle" },
    "Vexa killed Orbit_7 with Karna Rifle",
  ],
  [
    "a kill without a weapon",
    { ...both, weapon: "unknown", weapon_friendly_name: "unknown", identifier: "kill_log" },
    "Vexa killed Orbit_7",
  ],
  [
    "a kill of an NPC",
    {
      killer: "Vexa",
      victim: "PU_Pilots-Human-Criminal-Pilot_Light_259748324",
      victim_friendly_name: "Human Criminal Pilot Light",
      victim_is_npc: true,
      identifier: "npc-kill",
    },
    "Vexa killed Human Criminal Pilot Light",
  ],
  ["a suicide", { killer: "Vexa", victim: "Vexa" }, "Vexa took the easy way out"],
  ["two hidden players", { killer: "Hidden", victim: "Hidden" }, "Hidden killed Hidden"],
  ["a death of unknown cause", { victim: "Vexa" }, "Vexa died of unknown causes"],
  ["a death by nobody", { killer: "unknown", victim: "Vexa" }, "Vexa died of unknown causes"],
  ["a soft death", { ...both, ...ship, identifier: "vehicle_soft_death" }, "Vexa disabled Orbit_7’s Sabre Comet"],
  ["a destruction", { killer: "Vexa", ...ship, identifier: "vehicle_destruction" }, "Vexa destroyed a Sabre Comet"],
  [
    "an instant destruction",
    { victim: "Vexa", ...ship, identifier: "vehicle_instant_destruction" },
    "Vexa’s Sabre Comet was obliterated in an instant",
  ],
  [
    "an own loss",
    { killer: "Vexa", victim: "Vexa", ...ship, identifier: "vehicle_destruction" },
    "Vexa destroyed their own Sabre Comet",
  ],
  [
    "a seat taken",
    { player_name: "Vexa", vehicle_friendly_name: "Aurora MR", identifier: "seat_entered" },
    "Vexa boarded an Aurora MR",
  ],
  ["a seat left", { player_name: "Vexa", ...ship, identifier: "seat_exited" }, "Vexa left the Sabre Comet"],
  [
    "a mission accepted",
    { player_name: "Vexa", contract_name: "Deep space hit", identifier: "mission_accepted" },
    "Vexa accepted Deep space hit",
  ],
  [
    "a mission completed",
    { player_name: "Vexa", contract_name: null, identifier: "mission_complete" },
    "Vexa completed Unknown Mission",
  ],
  [
    "a mission completed for a giver",
    {
      player_name: "Vexa",
      contract_name: "Cargo haul",
      issuer: "Covalex_Hauling",
      issuer_friendly_name: "Covalex Hauling",
      seconds: 3_459,
      identifier: "mission_complete",
    },
    "Vexa completed Cargo haul for Covalex Hauling in 57 min",
  ],
  [
    "a long mission",
    { player_name: "Vexa", contract_name: "Cargo haul", seconds: 4_320, identifier: "mission_completed" },
    "Vexa completed Cargo haul in 1 h 12 min",
  ],
  [
    "a blueprint",
    { player_name: "Vexa", text: "P4-AR Rifle", identifier: "blueprint_received" },
    "Vexa received the blueprint P4-AR Rifle",
  ],
  [
    "a blueprint whose name is not shown",
    { player_name: "Vexa", identifier: "blueprint_received" },
    "Vexa received a blueprint",
  ],
  [
    "a first flight",
    { player_name: "Vexa", ...ship, is_first_flight: true, identifier: "seat_exited" },
    "Vexa flew the Sabre Comet for the first time",
  ],
  [
    "an objective",
    { player_name: "Vexa", text: "Go there", identifier: "objective" },
    "Vexa has a new objective: Go there",
  ],
  ["a login", { player_name: "Vexa", identifier: "login" }, "Vexa came online"],
  ["a logout", { player_name: "Vexa", identifier: "logout" }, "Vexa went offline"],
  ["a connection", { player_name: "Vexa", identifier: "connection_success" }, null],
])("%s reads as a sentence", (_, more, text) => {
  const sentence = sentenceOf(row(more));
  expect(sentence?.parts.map((part) => part.text).join("") ?? null).toBe(text);
});

function renderItem(more: Partial<ActivityRow>) {
  const item = <ActivityItem row={row(more)} now={(AT + 125) * 1000} />;
  renderWithProviders(<ul>{item}</ul>);
}

test("players and the time are links, NPCs are not, and the time is that of histories", () => {
  renderItem({ killer: "Vexa", victim: "Nine Tails grunt", victim_is_npc: true });
  expect(screen.getByRole("link", { name: "Vexa" })).toHaveAttribute("href", "/player/Vexa");
  expect(screen.getByRole("link", { name: "2m ago" })).toHaveAttribute("href", "/event/1");
  expect(screen.getAllByRole("link")).toHaveLength(2);
  expect(screen.getByText("PVE:")).toBeInTheDocument();
});

test("only an event of another channel names its channel", () => {
  renderItem({ killer: "Vexa", victim: "Orbit_7", channel: "PTU", reported_by: ["killer"] });
  expect(screen.getByRole("listitem")).toHaveTextContent(/Vexa killed Orbit_7PTUPU$/);
});

test("names of players, weapons and ships are not translated", () => {
  renderItem({
    killer: "Vexa",
    victim: "Orbit_7",
    vehicle_friendly_name: "Sabre Comet",
    identifier: "vehicle_destruction",
  });
  for (const name of ["Vexa", "Orbit_7", "Sabre Comet"]) {
    expect(screen.getByText(name).closest("[translate=no]")).not.toBeNull();
  }
  expect(screen.getByRole("listitem").closest("[translate=no]")).toBeNull();
});

test("a hidden player is not a link", () => {
  renderItem({ killer: "Hidden", victim: "Vexa" });
  expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual(["2m ago", "Vexa"]);
});

test("a connection draws nothing", () => {
  renderItem({ player_name: "Vexa", identifier: "connection_success" });
  expect(screen.queryByRole("listitem")).toBeNull();
});
