// Payloads of the live stream's events. The OpenAPI description does not cover the stream, so these types are written by hand.
import type { GameStats, GuildMember, GuildRow, PlayerRow } from "./types";

/** The counters of both game modes, such as `pu_player_deaths`. */
export type CounterName = Extract<keyof GameStats, `${"pu" | "ac"}_${string}`>;

/** The payload of the live event `player`: current scores, ranks and counters. */
export interface PlayerChanged extends Partial<Record<CounterName, number>> {
  handle: string;
  overall: number;
  pu_player_kills: number;
  pve_kills: number;
  vehicle_destructions: number;
  missions_completed: number;
  playtime: number;
  career: number;
  ships_flown: number;
  universe_time: number;
  unknown_deaths: number;
  last_active: number | null;
  rank_overall: number | null;
  rank_pvp: number | null;
  rank_pve: number | null;
  rank_vehicle: number | null;
  rank_missions: number | null;
  rank_playtime: number | null;
  rank_career: number | null;
  rank_ships_flown: number | null;
}

/** The payload of the live event `guild`: current totals and ranks. */
export interface GuildChanged {
  short: string;
  pu_player_kills: number;
  pu_npc_kills: number;
  pu_vehicle_destruction_caused: number;
  overall: number;
  missions_completed: number;
  playtime: number;
  career: number;
  ships_flown: number;
  universe_time: number;
  rank_overall: number | null;
  rank_pvp: number | null;
  rank_pve: number | null;
  rank_vehicle: number | null;
  rank_career: number | null;
  /** The members whose figures changed. */
  members: GuildMember[];
  /** Members joined or left, or data of members changed that `members` does not contain. */
  members_changed: boolean;
}

/** The payload of the live event `board`: the top 100 of a board. */
export interface BoardChanged {
  /** `board:players:{metric}` or `board:guilds:{metric}`, with `:{window}` unless the window is all time. */
  topic: string;
  /** `rows` is complete and in order; otherwise it contains the changed rows. */
  is_snapshot: boolean;
  rows: PlayerRow[] | GuildRow[];
  /** Handles or tags that are no longer among the top 100. */
  removed: string[];
  total: number;
}
