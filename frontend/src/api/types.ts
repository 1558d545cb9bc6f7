// The shapes the server answers with, as the API describes them. Plain named interfaces only.

export type Metric = "overall" | "pu_player_kills" | "pve_kills" | "vehicle_destructions" | "missions_completed" | "playtime";
export type BoardWindow = "all" | "24h" | "7d" | "30d" | "patch";
export type SortOrder = "asc" | "desc";
export type ActivityFilter = "pve" | "pvp" | "vehicles" | "missions";
export type SearchType = "player" | "guild";
export type GameMode = "PU" | "AC";

export interface Pagination {
  page?: number;
  limit: number;
  offset?: number;
  total: number;
  hasNextPage?: boolean;
}

export interface PlayerRow {
  rank: number | null;
  id: string;
  player_name: string | null;
  handle: string;
  player_geid: string | null;
  org_short: string | null;
  org_name: string | null;
  overall: number;
  pu_player_kills: number;
  pve_kills: number;
  vehicle_destructions: number;
  missions_completed: number;
  playtime: number;
  last_active: number | null;
  profile_image: string | null;
  banner_image: string | null;
  stickers?: (number | string)[] | null;
}

export interface GuildRow {
  rank: number | null;
  org_short: string;
  org_name: string | null;
  guild_image: string | null;
  banner_image: string | null;
  pu_player_kills: number;
  pu_npc_kills: number;
  pu_vehicle_destruction_caused: number;
  overall: number;
  missions_completed?: number;
  playtime?: number;
  active_member_count: number;
  total_member_count: number;
  member_count: number;
}

export interface Counts {
  players: number;
  orgs: number;
}

export interface PatchView {
  patch: string;
  stats: PatchStats;
}

export interface PatchStats {
  npc_kills: number;
  player_kills: number;
  vehicle_destructions: number;
  most_used_vehicle: { name: string; uses: number } | null;
  most_used_weapon: { name: string; uses: number } | null;
  most_common_mission: { name: string; accepted: number; completed: number } | null;
}

export type Counter =
  | "player_kills"
  | "player_deaths"
  | "npc_kills"
  | "npc_deaths"
  | "vehicle_soft_death_caused"
  | "vehicle_soft_death_received"
  | "vehicle_destruction_caused"
  | "vehicle_destruction_received"
  | "vehicle_instant_destruction_caused"
  | "vehicle_instant_destruction_received";

export type GameStats = Record<`pu_${Counter}` | `ac_${Counter}`, number> & {
  player_geid?: string | null;
  player_name?: string | null;
  last_updated?: number | null;
};

export interface Progress {
  level: number;
  currentXP: number;
  nextLevelXP: number;
}

export interface LifetimeStat {
  label: string;
  value: number | string;
  percentage?: number;
  iconColor?: string;
}

export interface Lifetime {
  playtimeHours: number;
  totalMatches: number;
  mainStats?: LifetimeStat[];
  detailedStats?: LifetimeStat[];
}

export interface PlayerView {
  handle: string;
  player_name: string | null;
  org_short: string | null;
  org_name: string | null;
  rank: number | null;
  rank_overall: number | null;
  rank_pvp: number | null;
  rank_pve: number | null;
  rank_vehicle: number | null;
  percentile_overall: number | null;
  overall: number;
  pve_kills: number;
  vehicle_destructions: number;
  missions_completed: number;
  playtime: number;
  profile_views: number | string;
  is_claimed: boolean;
  is_hidden: boolean;
  is_hidden_but_visible?: boolean;
  is_profile_hidden?: boolean;
  viewing_as_admin?: boolean;
  viewing_as_owner?: boolean;
  profileImage: string | null;
  bannerImage: string | null;
  stickers?: (number | string)[] | null;
  game_stats: GameStats;
  lifetime: Lifetime;
  progress: Progress;
  patch: string | null;
  last_active: number | null;
}

/** What is left of a hidden player for everybody but the owner and admins. */
export interface HiddenPlayer {
  handle: string;
  is_hidden: true;
}

export interface WeaponRow {
  id: string;
  name: string;
  type?: string | null;
  kills?: number;
  usage_count?: number;
  headshotPercentage?: number | null;
}

export interface VehicleRow {
  id: string;
  name: string;
  type?: string | null;
  timesEntered?: number;
  usage_count?: number;
}

export interface MissionRow {
  id: string;
  contract_name: string | null;
  name?: string | null;
  type?: string | null;
  missions_accepted: number;
  missions_completed: number;
  success_rate: number | null;
}

export interface ActivityRow {
  id: string;
  type?: "pvp" | "pve" | "others" | string;
  identifier: string;
  event_time: number;
  killer: string | null;
  victim: string | null;
  killer_is_npc: boolean | null;
  victim_is_npc: boolean | null;
  killer_friendly_name: string | null;
  victim_friendly_name: string | null;
  killer_profile_image: string | null;
  victim_profile_image: string | null;
  weapon?: string | null;
  vehicle_name: string | null;
  contract_name: string | null;
  text: string | null;
  zone?: string | null;
  game_mode: GameMode | null;
  sub_game_mode: string | null;
  patch?: string | null;
  player_name: string | null;
  player_is_npc: boolean | null;
  witnesses?: number;
}

export interface DayValue {
  /** `YYYY-MM-DD` */
  day: string;
  value: number;
}

export interface GuildMember {
  handle: string;
  player_name?: string | null;
  overall: number;
  pu_player_kills: number;
  pu_npc_kills: number;
  pu_vehicle_destruction_caused: number;
  profile_image: string | null;
  banner_image: string | null;
  last_updated: number | null;
}

export interface GuildView {
  name: string;
  short: string;
  member_count: number;
  active_member_count?: number;
  top_members: GuildMember[];
  profile_views?: number | string;
  rank_overall?: number | null;
  rank_pvp?: number | null;
  rank_pve?: number | null;
  rank_vehicle?: number | null;
  playtime?: number;
  missions_completed?: number;
  patch?: string | null;
  is_claimed?: boolean;
}

export interface GuildStats {
  pu_player_kills: number;
  pu_npc_kills: number;
  pu_vehicle_destruction_caused: number;
}

export interface GuildSettings {
  guild_image: string | null;
  banner_image: string | null;
  discord_link: string | null;
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

export interface SearchResult {
  type: SearchType;
  handle?: string | null;
  player_name?: string | null;
  org_short?: string | null;
  orgs?: string[];
  short?: string | null;
  name?: string | null;
  member_count?: number | null;
  image?: string | null;
}

export interface CommitRow {
  id: string;
  author_name: string | null;
  author_username: string | null;
  author_avatar_url: string | null;
  timestamp: number;
  message: string | null;
  branch: string | null;
  repository: string | null;
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

export interface SiteConfig {
  discord: { clientId: string; redirectUri: string; authorizeUrl: string } | null;
  site: SiteTexts;
}

export interface SiteTexts {
  name: string;
  game: string;
  community_url: string;
  support_url: string;
  kanban_url: string;
  bot_invite_url: string;
  installer_url: string;
  source_url: string;
  support_contact: string;
  bot_servers: string;
  bot_users: string;
  trademark: string;
  slogans: string[];
}
