// Test data in the form of the server's rows. All names are invented.
import type { HistoryEntry } from "../api/moderation";
import type { ActivityRow, CatalogueSticker, CommitRow, EventReport, GuildRow, PlayerRow } from "../api/types";

export const playerRow = (rank: number, more: Partial<PlayerRow> = {}): PlayerRow => ({
  rank,
  movement: null,
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
  stickers: null,
  ...more,
});

export const guildRow = (rank: number, more: Partial<GuildRow> = {}): GuildRow => ({
  rank,
  movement: null,
  org_short: `ORG${rank}`,
  org_name: `Order &amp; ${rank}`,
  guild_image: null,
  banner_image: null,
  pu_player_kills: 10,
  pu_npc_kills: 2_000,
  pu_vehicle_destruction_caused: 3_000_000,
  overall: 12_345,
  missions_completed: 50,
  playtime: 36_000,
  active_member_count: 20,
  total_member_count: 25,
  member_count: 25,
  ...more,
});

export const activityRow = (id: number, more: Partial<ActivityRow> = {}): ActivityRow => ({
  id: String(id),
  type: "others",
  identifier: "login",
  event_time: 1_000 + id,
  killer: null,
  victim: null,
  killer_is_npc: false,
  victim_is_npc: false,
  killer_friendly_name: null,
  victim_friendly_name: null,
  killer_profile_image: null,
  victim_profile_image: null,
  weapon: null,
  weapon_friendly_name: null,
  vehicle_name: null,
  vehicle_friendly_name: null,
  damage_type: null,
  contract_id: null,
  contract_name: null,
  text: null,
  game_mode: "PU",
  sub_game_mode: null,
  player_name: `Pilot_${id}`,
  patch: null,
  player_is_npc: false,
  is_npc: false,
  witnesses: 1,
  grade: "operator",
  orgs: [],
  ...more,
});

export const eventReport = (more: Partial<EventReport> = {}): EventReport => ({
  source: "killer",
  received_at: 1_767_268_800,
  build: "10412345",
  branch: "sc-alpha-4.3.2",
  channel: "LIVE",
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

export const historyEntry = (id: number, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id,
  at: 1_767_268_800,
  action: "void",
  target: "key",
  name: "12",
  reason: "Made up.",
  state: "done",
  done: 1_234,
  total: 1_234,
  undone_by: null,
  undoes: null,
  ...more,
});

/** The two stickers derived from statistics, as `/api/stickers` lists them. */
export const STICKERS: readonly CatalogueSticker[] = [
  ["683583", "Banana for scale"],
  ["775678", "Monkey business"],
].map(([id = "", name = ""]) => ({
  id,
  name,
  description: "",
  rarity: "common",
  requirement: "",
  category: "default",
  image: `/static/stickers/${id}.png`,
  earned_by: "",
  is_granted: false,
}));
