// Rows as the server sends them, for component tests; each takes what the test is about. No test data of real people.
import type { ActivityRow, CommitRow, GuildRow, PlayerRow } from "../api/types";

export const playerRow = (rank: number, more: Partial<PlayerRow> = {}): PlayerRow => ({
  rank,
  id: String(rank),
  player_name: `Pilot_${rank}`,
  handle: `pilot_${rank}`,
  player_geid: null,
  org_short: "NOVA",
  org_name: "Nova &amp; Sons",
  overall: 12_345,
  pu_player_kills: 10,
  pve_kills: 20,
  vehicle_destructions: 120,
  missions_completed: 5,
  playtime: 12_000,
  last_active: null,
  profile_image: null,
  banner_image: null,
  ...more,
});

export const guildRow = (rank: number, more: Partial<GuildRow> = {}): GuildRow => ({
  rank,
  org_short: `ORG${rank}`,
  org_name: `Order &amp; ${rank}`,
  guild_image: null,
  banner_image: null,
  pu_player_kills: 10,
  pu_npc_kills: 2_000,
  pu_vehicle_destruction_caused: 3_000_000,
  overall: 12_345,
  active_member_count: 20,
  total_member_count: 25,
  member_count: 25,
  ...more,
});

export const activityRow = (id: number, more: Partial<ActivityRow> = {}): ActivityRow => ({
  id: String(id),
  identifier: "login",
  event_time: 1_000 + id,
  killer: null,
  victim: null,
  killer_is_npc: null,
  victim_is_npc: null,
  killer_friendly_name: null,
  victim_friendly_name: null,
  killer_profile_image: null,
  victim_profile_image: null,
  vehicle_name: null,
  contract_name: null,
  text: null,
  game_mode: "PU",
  sub_game_mode: null,
  player_name: `Pilot_${id}`,
  player_is_npc: false,
  ...more,
});

export const commitRow = (id: string, more: Partial<CommitRow> = {}): CommitRow => ({
  id,
  author_name: "Ada",
  author_username: "ada-dev",
  author_avatar_url: null,
  timestamp: 1_700_000_000,
  message: "Fly further",
  branch: "develop",
  repository: "apogee",
  ...more,
});
