// The catalogue of stickers as the page knows it: which id has which name. Whether one is unlocked only the server knows.
import type { PlayerRow } from "../../api/types";

export const STICKER_SLOTS = 4;

export interface StickerInfo {
  name: string;
  rarity: "common" | "rare" | "epic";
  requirement: string;
  category: "social" | "gameplay" | "default" | "in-game";
}

const CATALOGUE: Readonly<Record<string, StickerInfo>> = {
  "412907": {
    name: "Pioneer",
    rarity: "epic",
    requirement: "Claim your profile during summer 2025",
    category: "social",
  },
  "196404": { name: "Sputnik", rarity: "epic", requirement: "Submit valuable feedback", category: "social" },
  "775678": {
    name: "Monkey business",
    rarity: "rare",
    requirement: "Put 100 vehicles in soft death state",
    category: "gameplay",
  },
  "683583": {
    name: "Banana for scale",
    rarity: "common",
    requirement: "Get your first player kill",
    category: "default",
  },
  "202510": { name: "CitizenCon 2025", rarity: "common", requirement: "Play during the event", category: "social" },
  "538261": {
    name: "Ship rat",
    rarity: "rare",
    requirement: "Get rid of an intruder on your ship",
    category: "gameplay",
  },
  "947135": { name: "Poster child", rarity: "epic", requirement: "Get 500 profile views", category: "social" },
  "310846": { name: "Anvil Aerospace", rarity: "common", requirement: "In-game", category: "in-game" },
  "864219": { name: "Aegis Dynamics", rarity: "common", requirement: "In-game", category: "in-game" },
};

/** What a sticker is; an id that is not in the catalogue is an unknown sticker. */
export function stickerInfo(id: string | number): StickerInfo {
  return CATALOGUE[String(id)] ?? { name: "Unknown Sticker", rarity: "common", requirement: "", category: "default" };
}

export const CATALOGUE_IDS: readonly string[] = Object.keys(CATALOGUE);

/** The stickers to show, four at most; without a list, those that follow from the figures. */
export function stickersOf(row: Pick<PlayerRow, "stickers" | "pu_player_kills" | "vehicle_destructions">): string[] {
  if (row.stickers) return row.stickers.slice(0, STICKER_SLOTS).map(String);
  const derived: string[] = [];
  if (row.pu_player_kills > 0) derived.push("683583");
  if (row.vehicle_destructions >= 100) derived.push("775678");
  return derived;
}
