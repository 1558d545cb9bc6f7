// Converts a feed row to a sentence in parts: plain text, players, NPCs and items.
import { filterOf } from "../../api/activity-filter";
import type { ActivityFilter } from "../../api/list-params";
import type { ActivityRow } from "../../api/types";
import { unescapeEntities } from "../../lib/text";
import { durationInWords } from "../../lib/times";

export type Part =
  | { kind: "text" | "npc" | "item"; text: string }
  /** `text` is the displayed name, `handle` the target of the link. */
  | { kind: "player"; text: string; handle: string };

export interface Sentence {
  parts: readonly Part[];
  /** The category for the icon; null for logins and logouts. */
  filter: ActivityFilter | null;
}

/** The server's name for hidden players. It has no link. */
const HIDDEN_NAME = "Hidden";

const text = (text: string): Part => ({ kind: "text", text });
const item = (text: string): Part => ({ kind: "item", text });

function participant(name: string | null, friendly: string | null, npc: boolean | null): Part | null {
  if (!name || name.toLowerCase() === "unknown") return null;
  if (npc) return { kind: "npc", text: unescapeEntities(friendly ?? name) };
  if (name === HIDDEN_NAME) return { kind: "npc", text: HIDDEN_NAME };
  return { kind: "player", text: friendly || name, handle: name };
}

const article = (name: string) => (/^([aeiou]|RSI\b)/i.test(name) ? "an " : "a ");

/** Returns the sentence of a row, or null for events that lists do not show. */
export function sentenceOf(row: ActivityRow): Sentence | null {
  if (row.identifier === "connection_success") return null;
  const parts = partsOf(row);
  return parts && { parts: parts.filter((part) => part.text !== ""), filter: filterOf(row) };
}

function partsOf(row: ActivityRow): Part[] | null {
  if (/kill/.test(row.identifier ?? "")) return killParts(row);
  if (row.identifier === "vehicle_soft_death") return vehicleLossParts(row, "disabled", "was disabled");
  if (row.identifier === "vehicle_destruction") return vehicleLossParts(row, "destroyed", "was destroyed");
  if (row.identifier === "vehicle_instant_destruction")
    return vehicleLossParts(row, "obliterated", "was obliterated", " in an instant");
  const who =
    participant(row.player_name, null, row.player_is_npc) ??
    participant(row.killer, row.killer_friendly_name, row.killer_is_npc);
  const subject = who ?? text("Somebody");
  const vehicle = row.vehicle_friendly_name;
  const contract = item(unescapeEntities(row.contract_name || row.text || "Unknown Mission"));
  const more = row.text && row.contract_name ? text(` · ${unescapeEntities(row.text)}`) : text("");
  if (row.is_first_flight && vehicle) return [subject, text(" flew the "), item(vehicle), text(" for the first time")];
  switch (row.identifier) {
    case "seat_entered":
      return vehicle ? [subject, text(` boarded ${article(vehicle)}`), item(vehicle)] : [subject, text(" took a seat")];
    case "seat_exited":
      return vehicle ? [subject, text(" left the "), item(vehicle)] : [subject, text(" left the seat")];
    case "mission_accepted":
      return [subject, text(" accepted "), contract];
    case "mission_start":
      return [subject, text(" started "), contract];
    case "mission_complete":
    case "mission_completed":
      return [subject, text(" completed "), contract, ...giverParts(row), durationPart(row)];
    case "mission_updated":
      return [subject, text(" moved on in "), contract, more];
    case "objective":
      return [subject, text(" has a new objective: "), contract, more];
    case "blueprint_received":
      // The name is shown only when others have reported it.
      return row.text
        ? [subject, text(" received the blueprint "), item(row.text)]
        : [subject, text(" received a blueprint")];
    case "login":
      return [subject, text(" came online")];
    case "logout":
      return [subject, text(" went offline")];
    default:
      return row.text ? [subject, text(`: ${unescapeEntities(row.text)}`)] : null;
  }
}

function giverParts(row: ActivityRow): Part[] {
  return row.issuer_friendly_name ? [text(" for "), item(row.issuer_friendly_name)] : [];
}

function durationPart(row: ActivityRow): Part {
  return text(row.seconds === null ? "" : ` in ${durationInWords(row.seconds)}`);
}

function killParts(row: ActivityRow): Part[] | null {
  const killer = participant(row.killer, row.killer_friendly_name, row.killer_is_npc);
  const victim = participant(row.victim, row.victim_friendly_name, row.victim_is_npc);
  if (!victim) return killer && [killer, text(" made a kill")];
  // Two different hidden players have the same name.
  if (row.killer === row.victim && row.killer !== HIDDEN_NAME) return [victim, text(" took the easy way out")];
  if (!killer) return [victim, text(" died of unknown causes")];
  const weapon = row.weapon !== "unknown" ? row.weapon_friendly_name : null;
  return [killer, text(" killed "), victim, ...(weapon ? [text(" with "), item(weapon)] : [])];
}

function vehicleLossParts(row: ActivityRow, did: string, suffered: string, how = ""): Part[] | null {
  const attacker = participant(row.killer, row.killer_friendly_name, row.killer_is_npc);
  const owner = participant(row.victim, row.victim_friendly_name, row.victim_is_npc);
  if (!attacker && !owner && !row.vehicle_friendly_name) return null;
  const vehicle = row.vehicle_friendly_name ?? "vehicle";
  if (attacker && row.killer === row.victim && row.killer !== HIDDEN_NAME)
    return [attacker, text(` ${did} their own `), item(vehicle), text(how)];
  if (attacker && owner) return [attacker, text(` ${did} `), owner, text("’s "), item(vehicle), text(how)];
  if (attacker) return [attacker, text(` ${did} ${article(vehicle)}`), item(vehicle), text(how)];
  if (owner) return [owner, text("’s "), item(vehicle), text(` ${suffered}${how}`)];
  return [text(article(vehicle) === "an " ? "An " : "A "), item(vehicle), text(` ${suffered}${how}`)];
}
