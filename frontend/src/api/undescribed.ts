// Shapes that the server's description does not name: choices of addresses and screens, and the messages of the live stream, and the answers
// of calls about accounts, which the server does not describe yet. Written by hand; whatever is described comes from `types.ts` instead.

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

export interface Sticker {
  id: number | string;
  name: string;
  description: string;
  rarity: "common" | "rare" | "epic";
  requirement: string;
  category: "social" | "gameplay" | "default" | "in-game";
  image: string;
  unlocked: boolean;
}

export interface PlayerSettings {
  profile_image: string | null;
  banner_image: string | null;
  is_profile_hidden: boolean;
  profile_settings: { stickers?: (number | string)[] } | string | null;
}

export interface UserView {
  discord_id: string;
  discord_username: string | null;
  discord_global_name: string | null;
  discord_avatar: string | null;
  discord_email?: string | null;
  discord_discriminator?: string | null;
  name?: string | null;
  avatar?: string | null;
  handle: string | null;
  org_short: string | null;
  link_provider: string | null;
  is_active: boolean;
  linked_at: number | null;
  guild_ownership: string | null;
  is_admin?: boolean;
}

export interface ClaimStarted {
  handle: string;
  verificationCode: string;
  expectedTag: string;
  oneTimeUse: boolean;
}

export interface IngestKey {
  id: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
}
