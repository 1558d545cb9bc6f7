// A row of a feed as a readable sentence, in parts: who is a player, who is not, and what a thing is called. Used by
// `activity-item.tsx` and by whoever needs the same words without the row; it draws nothing and links nowhere.
import { filterOf } from "../../api/activity-filter";
import type { ActivityFilter } from "../../api/list-params";
import type { ActivityRow } from "../../api/types";
import { unescapeEntities } from "../../lib/text";

export type Part =
  | { kind: "words" | "npc" | "thing"; text: string }
  /** `text` is what is shown, `handle` whom it leads to. */
  | { kind: "player"; text: string; handle: string };

export interface Sentence {
  parts: readonly Part[];
  /** What it counts as, for the icon; null for comings and goings. */
  filter: ActivityFilter | null;
}

/** How the server names a player who does not want to be seen; nobody to lead to. */
const HIDDEN = "Hidden";

const words = (text: string): Part => ({ kind: "words", text });
const thing = (text: string): Part => ({ kind: "thing", text });

function person(name: string | null, friendly: string | null, npc: boolean | null): Part | null {
  if (!name || name.toLowerCase() === "unknown") return null;
  if (npc) return { kind: "npc", text: unescapeEntities(friendly ?? name) };
  if (name === HIDDEN) return { kind: "npc", text: HIDDEN };
  return { kind: "player", text: friendly || name, handle: name };
}

const article = (name: string) => (/^([aeiou]|RSI\b)/i.test(name) ? "an " : "a ");

/** The sentence of a row, or null for what no list shows. */
export function sentenceOf(row: ActivityRow): Sentence | null {
  if (row.identifier === "connection_success") return null;
  const parts = partsOf(row);
  return parts && { parts: parts.filter((part) => part.text !== ""), filter: filterOf(row) };
}

/** The same as one text, for titles and screen readers. */
export function textOf(sentence: Sentence): string {
  return sentence.parts.map((part) => part.text).join("");
}

function partsOf(row: ActivityRow): Part[] | null {
  if (/kill/.test(row.identifier ?? "")) return kill(row);
  if (row.identifier === "vehicle_soft_death") return loss(row, "disabled", "was disabled");
  if (row.identifier === "vehicle_destruction") return loss(row, "destroyed", "was destroyed");
  if (row.identifier === "vehicle_instant_destruction")
    return loss(row, "obliterated", "was obliterated", " in an instant");
  const who =
    person(row.player_name, null, row.player_is_npc) ?? person(row.killer, row.killer_friendly_name, row.killer_is_npc);
  const subject = who ?? words("Somebody");
  const vehicle = row.vehicle_friendly_name;
  const contract = thing(unescapeEntities(row.contract_name || row.text || "Unknown Mission"));
  const more = row.text && row.contract_name ? words(` · ${unescapeEntities(row.text)}`) : words("");
  switch (row.identifier) {
    case "seat_entered":
      return vehicle
        ? [subject, words(` boarded ${article(vehicle)}`), thing(vehicle)]
        : [subject, words(" took a seat")];
    case "seat_exited":
      return vehicle ? [subject, words(" left the "), thing(vehicle)] : [subject, words(" left the seat")];
    case "mission_accepted":
      return [subject, words(" accepted "), contract];
    case "mission_start":
      return [subject, words(" started "), contract];
    case "mission_complete":
    case "mission_completed":
      return [subject, words(" completed "), contract];
    case "mission_updated":
      return [subject, words(" moved on in "), contract, more];
    case "objective":
      return [subject, words(" has a new objective: "), contract, more];
    case "login":
      return [subject, words(" came online")];
    case "logout":
      return [subject, words(" went offline")];
    default:
      return row.text ? [subject, words(`: ${unescapeEntities(row.text)}`)] : null;
  }
}

function kill(row: ActivityRow): Part[] | null {
  const killer = person(row.killer, row.killer_friendly_name, row.killer_is_npc);
  const victim = person(row.victim, row.victim_friendly_name, row.victim_is_npc);
  if (!victim) return killer && [killer, words(" made a kill")];
  // Two hidden players have the same name and are not the same.
  if (row.killer === row.victim && row.killer !== HIDDEN) return [victim, words(" took the easy way out")];
  if (!killer) return [victim, words(" died of unknown causes")];
  const weapon = row.weapon !== "unknown" ? row.weapon_friendly_name : null;
  return [killer, words(" killed "), victim, ...(weapon ? [words(" with "), thing(weapon)] : [])];
}

function loss(row: ActivityRow, did: string, suffered: string, how = ""): Part[] | null {
  const causer = person(row.killer, row.killer_friendly_name, row.killer_is_npc);
  const owner = person(row.victim, row.victim_friendly_name, row.victim_is_npc);
  if (!causer && !owner && !row.vehicle_friendly_name) return null;
  const vehicle = row.vehicle_friendly_name ?? "vehicle";
  if (causer && row.killer === row.victim && row.killer !== HIDDEN)
    return [causer, words(` ${did} their own `), thing(vehicle), words(how)];
  if (causer && owner) return [causer, words(` ${did} `), owner, words("’s "), thing(vehicle), words(how)];
  if (causer) return [causer, words(` ${did} ${article(vehicle)}`), thing(vehicle), words(how)];
  if (owner) return [owner, words("’s "), thing(vehicle), words(` ${suffered}${how}`)];
  return [words(article(vehicle) === "an " ? "An " : "A "), thing(vehicle), words(` ${suffered}${how}`)];
}
