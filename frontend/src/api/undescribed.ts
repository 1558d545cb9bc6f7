// Shapes that the description of the server does not name: choices of addresses and screens, and the messages of the live stream.
// Written by hand; whatever is described comes from `types.ts` instead.

export type BoardWindow = "all" | "24h" | "7d" | "30d" | "patch";
export type SortOrder = "asc" | "desc";
export type ActivityFilter = "pve" | "pvp" | "vehicles" | "missions";

/** Lists say where they stand by page or by offset; one of the two. */
export interface Pagination {
  page?: number;
  limit: number;
  offset?: number;
  total: number;
  hasNextPage?: boolean;
}

/** What the live event `player` says: the changed scores and ranks, without the counters behind them. */
export interface PlayerChanged {
  handle: string;
  overall: number;
  pu_player_kills: number;
  pve_kills: number;
  vehicle_destructions: number;
  missions_completed: number;
  playtime: number;
  last_active: number | null;
  rank_overall: number | null;
  rank_pvp: number | null;
  rank_pve: number | null;
  rank_vehicle: number | null;
}

/** What the live event `guild` says: the changed sums. */
export interface GuildChanged {
  short: string;
  pu_player_kills: number;
  pu_npc_kills: number;
  pu_vehicle_destruction_caused: number;
  overall: number;
}
