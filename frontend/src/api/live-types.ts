// Payloads of the live stream's events. The OpenAPI description does not cover the stream, so these types are written by hand.
import type { GameStats, GuildMember, GuildRow, PlayerRow } from "./types";

/** The counters of both game modes, such as `pu_player_deaths`. */
export type CounterName = Extract<keyof GameStats, `${"pu" | "ac"}_${string}`>;

/** What the live event `player` says: scores, ranks and counters as they are now. */
export interface PlayerChanged extends Partial<Record<CounterName, number>> {
  handle: string;
  overall: number;
  pu_player_kills: number;
  pve_kills: number;
  vehicle_destructions: number;
  missions_completed: number;
  playtime: number;
  unknown_deaths: number;
  last_active: number | null;
  rank_overall: number | null;
  rank_pvp: number | null;
  rank_pve: number | null;
  rank_vehicle: number | null;
  rank_missions: number | null;
  rank_playtime: number | null;
}

/** What the live event `guild` says: sums and ranks as they are now. */
export interface GuildChanged {
  short: string;
  pu_player_kills: number;
  pu_npc_kills: number;
  pu_vehicle_destruction_caused: number;
  overall: number;
  missions_completed: number;
  playtime: number;
  rank_overall: number | null;
  rank_pvp: number | null;
  rank_pve: number | null;
  rank_vehicle: number | null;
  /** The members whose figures changed. */
  members: GuildMember[];
  /** Who is a member, or what is shown of members, changed beyond `members`. */
  members_changed: boolean;
}

/** What the live event `board` says of a board's top 100. */
export interface BoardChanged {
  /** `board:players:{metric}` or `board:guilds:{metric}`, with `:{window}` where it is not that of all time. */
  topic: string;
  /** `rows` are all there are, in order; otherwise those that changed. */
  is_snapshot: boolean;
  rows: PlayerRow[] | GuildRow[];
  /** Handles or tags that are no longer among the top 100. */
  removed: string[];
  total: number;
}
