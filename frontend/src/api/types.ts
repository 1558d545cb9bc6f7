// Generated from the OpenAPI description by `npm run types`; do not edit. Responses contain every field, with null if there
// is no value.

export interface AccountExport {
  /** When claims were started and verified within the last ten minutes. */
  claim_tries: number[];
  /** Claims that wait for their code to be found. */
  claims: ClaimExport[];
  /** The avatar at Discord, as Discord names it. */
  discord_avatar_hash: string | null;
  /** Every event that names the player, newest first. */
  events: ActivityRow[];
  exported_at: number;
  guild: GuildExport | null;
  /** Without their secrets, which are kept nowhere. */
  keys: IngestKey[];
  last_seen_at: number;
  pictures: PictureExport[];
  player: PlayerExport | null;
  sessions: SessionExport[];
  user: UserView;
}

/** The people of an event in an object of their own. */
export interface ActivityDetails {
  killer: string | null;
  killer_friendly_name: string | null;
  killer_is_npc: boolean;
  killer_profile_image: string | null;
  player_name: string | null;
  victim: string | null;
  victim_friendly_name: string | null;
  victim_is_npc: boolean;
  victim_profile_image: string | null;
}

export interface ActivityList {
  data: ActivityRow[];
}

/** One event as feeds show it. Names come as they were told and, where a class has one, in a friendly form. */
export interface ActivityRow {
  contract_id: string | null;
  contract_name: string | null;
  damage_type: string | null;
  /** Epoch seconds. */
  event_time: number;
  game_mode: GameMode | null;
  id: string;
  identifier: Identifier | null;
  is_npc: boolean;
  killer: string | null;
  killer_friendly_name: string | null;
  killer_is_npc: boolean;
  killer_profile_image: string | null;
  /** The tags of the guilds whose visible members are in it. */
  orgs: string[];
  patch: string | null;
  player_is_npc: boolean;
  player_name: string | null;
  sub_game_mode: string | null;
  text: string | null;
  /** `pvp`, `pve` or `others`. */
  type: string;
  vehicle_friendly_name: string | null;
  vehicle_name: string | null;
  victim: string | null;
  victim_friendly_name: string | null;
  victim_is_npc: boolean;
  victim_profile_image: string | null;
  weapon: string | null;
  weapon_friendly_name: string | null;
  /** How many readers told of it. */
  witnesses: number;
}

/** Something an admin may do: a POST to the path, without a body. */
export interface AdminAction {
  label: string;
  path: string;
}

/** A named number. */
export interface AdminBar {
  label: string;
  value: number;
}

/** The sums of a day. */
export interface AdminDay {
  /** `YYYY-MM-DD` */
  day: string;
  errors: number;
  /** Of the page loads of that day, on average; null without any. */
  load_ms: number | null;
  views: number;
  visitors: number;
}

/** An error that somebody met since the server started. */
export interface AdminError {
  /** Epoch seconds. */
  at: number;
  /** The code of the answer, or what part of the program it was. */
  code: string;
  message: string;
  /** The route, not the address that was asked for. */
  path: string | null;
  request_id: string | null;
}

/** A figure under its name. */
export interface AdminFact {
  label: string;
  /** `bytes`, `seconds`, `ms`, or `at` for epoch seconds. */
  unit: string | null;
  value: Cell;
}

/** Things of one kind, each with what may be done about it. */
export interface AdminRows {
  /** One list for each row. */
  acts: AdminAction[][];
  heads: string[];
  rows: ((Cell | null)[])[];
}

/** One part of the server. */
export interface AdminSection {
  /** In the order to show them. */
  facts: AdminFact[];
  /** `database`, `index`, `upstreams`, `queues`, `jobs`, `statsfeed`, `webhooks`, `webhook-log`, `rosters`, `sessions`, `keys`, `reader`. */
  id: string;
  rows: AdminRows | null;
  /** One sentence on the state. */
  summary: string;
  title: string;
  tone: Tone;
}

/** The whole page; it holds no secret and may be copied into a report. */
export interface AdminState {
  at: number;
  /** Newest first. */
  errors: AdminError[];
  sections: AdminSection[];
  /** Epoch seconds. */
  started_at: number;
  version: string;
  visits: AdminVisits;
}

export interface AdminStateAnswer {
  state: AdminState;
}

/** Visits of the last thirty days, as sums. */
export interface AdminVisits {
  /** Oldest first, a week at least, days without a visit included; empty while there was none at all. */
  days: AdminDay[];
  /** Most viewed first. */
  pages: AdminBar[];
  referrers: AdminBar[];
}

/** What the page sends after Discord sent somebody back. */
export interface Callback {
  code: string;
  /** The PKCE verifier; handed on to Discord. */
  code_verifier: string | null;
  redirect_uri: string;
}

/** A sticker of this site, as everybody may know it. */
export interface CatalogueSticker {
  category: Category;
  description: string;
  /** What earns it, with the exact figures of the rule. */
  earned_by: string;
  id: string;
  image: string;
  /** Only admins give it. */
  is_granted: boolean;
  name: string;
  rarity: Rarity;
  /** What one has to do, in the words of the site. */
  requirement: string;
}

export type Category = "social" | "gameplay" | "default" | "in-game";

/** A text or a whole number. */
export type Cell = number | string;

export interface ClaimExport {
  code: string;
  created_at: number;
  /** `player` or `guild`. */
  kind: string;
  target: string;
}

/** A code that waits to be found on the game's site. */
export interface ClaimStarted {
  /** What has to stand in the bio, word for word. */
  expectedTag: string;
  /** Handle or tag, in the site's spelling. */
  handle: string;
  /** Always true: the code dies with success. */
  oneTimeUse: boolean;
  verificationCode: string;
}

/** The player that is now the user's. */
export interface ClaimedPlayer {
  handle: string;
  org_short: string | null;
}

/** What a caller can branch on. */
export type Code = "VALIDATION" | "CODE_NOT_FOUND" | "UNAUTHORIZED" | "TOKEN_EXPIRED" | "FORBIDDEN" | "SUSPICIOUS_ACCESS_BLOCKED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMIT_EXCEEDED" | "UPSTREAM_UNAVAILABLE" | "OVERLOADED" | "INTERNAL";

export interface CommitList {
  commits: CommitRow[];
  pagination: OffsetPagination;
}

export interface CommitRow {
  /** A path of this site: no visitor's address goes to the site the picture comes from. */
  author_avatar_url: string | null;
  author_name: string | null;
  author_username: string | null;
  branch: string;
  id: string;
  message: string;
  repository: string;
  /** Epoch seconds. */
  timestamp: number;
}

export interface Counts {
  orgs: number;
  players: number;
}

/** One day of a series. */
export interface DayValue {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  value: number;
}

export interface DiscordConfig {
  authorizeUrl: string;
  clientId: string;
  redirectUri: string;
}

/** What the page tells of a sign-in. Nothing of it is believed over the token. */
export interface DiscordLogin {
  discordUser: ReportedUser | null;
}

/** Nothing but success. */
export type Done = Record<string, unknown>;

/** A link in the form of oEmbed 1.0. */
export interface Embed {
  /** Seconds. */
  cache_age: number;
  provider_name: string;
  provider_url: string;
  thumbnail_height: number | null;
  /** Absent when it is larger than was asked for, as its size is. */
  thumbnail_url: string | null;
  thumbnail_width: number | null;
  title: string;
  type: string;
  version: string;
}

export interface EventAnswer {
  event: ActivityRow;
}

/** How every failure is told. */
export interface Failure {
  code: Code;
  /** A sentence for people. */
  error: string;
  /** Always false. */
  success: boolean;
}

export interface FormerHandle {
  handle: string;
  until: number;
}

/** Persistent Universe or Arena Commander. */
export type GameMode = "PU" | "AC";

/** The ten figures in both game modes. */
export interface GameStats {
  ac_npc_deaths: number;
  ac_npc_kills: number;
  ac_player_deaths: number;
  ac_player_kills: number;
  ac_vehicle_destruction_caused: number;
  ac_vehicle_destruction_received: number;
  ac_vehicle_instant_destruction_caused: number;
  ac_vehicle_instant_destruction_received: number;
  ac_vehicle_soft_death_caused: number;
  ac_vehicle_soft_death_received: number;
  /** Epoch seconds of the last event. */
  last_updated: number | null;
  player_geid: string | null;
  player_name: string;
  pu_npc_deaths: number;
  pu_npc_kills: number;
  pu_player_deaths: number;
  pu_player_kills: number;
  pu_vehicle_destruction_caused: number;
  pu_vehicle_destruction_received: number;
  pu_vehicle_instant_destruction_caused: number;
  pu_vehicle_instant_destruction_received: number;
  pu_vehicle_soft_death_caused: number;
  pu_vehicle_soft_death_received: number;
  unknown_deaths: number;
}

/** A sticker with the players who were granted it. */
export interface GrantedSticker {
  earned_by: string;
  /** How many players were granted it. */
  holder_count: number;
  /** Newest first, at most 500. */
  holders: StickerHolder[];
  id: string;
  is_granted: boolean;
  name: string;
}

export interface GrantedStickers {
  stickers: GrantedSticker[];
}

export interface GuildActivity {
  data: GuildActivityRow[];
  pagination: OffsetPagination;
}

/** A row of a guild's feed: the flat fields of every feed, and those of the specification beside them. */
export type GuildActivityRow = ActivityRow & {
  details: ActivityDetails;
  /** Epoch seconds; the same as `event_time`. */
  timestamp: number;
};

export interface GuildAnswer {
  guild: GuildView;
}

export interface GuildClaim {
  guildShort: string;
}

export interface GuildClaimed {
  /** The tag that the user may edit now. */
  guild_ownership: string;
  message: string;
}

export interface GuildExport {
  settings: GuildSettings;
  tag: string;
}

/** A member in a guild's list. */
export interface GuildMember {
  banner_image: string | null;
  date_last_updated: number | null;
  handle: string;
  /** Epoch seconds of the last event. */
  last_updated: number | null;
  missions_completed: number;
  overall: number;
  overall_score: number;
  player_name: string;
  playtime: number;
  profile_image: string | null;
  pu_npc_kills: number;
  pu_player_kills: number;
  pu_vehicle_destruction_caused: number;
}

export interface GuildMembers {
  members: GuildMember[];
  pagination: OffsetPagination;
}

/** How fresh the members of a guild are, as the game's site lists them. */
export interface GuildRoster {
  affiliates: number;
  /** The list is longer than what was read. */
  is_partial: boolean;
  /** Members whose main organization this is and whom the list names. */
  named: number;
  /** Of all members, as the site counts. */
  total: number;
  /** Redacted and hidden members. */
  unnamed: number;
  /** Epoch seconds. */
  updated_at: number;
}

/** A line of a guilds' board. The figures are sums over current members. */
export interface GuildRow {
  /** Seen in the last 30 days. */
  active_member_count: number;
  banner_image: string | null;
  guild_image: string | null;
  /** What the game's site says, else the members that are players here. */
  member_count: number;
  missions_completed: number;
  /** Places gained since the UTC day began, below 0: lost. Null over windows and for who had no rank then. */
  movement: number | null;
  org_name: string;
  org_short: string;
  overall: number;
  /** Seconds. */
  playtime: number;
  pu_npc_kills: number;
  pu_player_kills: number;
  /** Instant destructions included. */
  pu_vehicle_destruction_caused: number;
  rank: number;
  /** Members that are players here. */
  total_member_count: number;
}

export interface GuildSaved {
  message: string;
  settings: GuildSettings;
}

/** What the owner of a guild set. */
export interface GuildSettings {
  banner_image: string | null;
  discord_link: string | null;
  guild_image: string | null;
}

export interface GuildSettingsAnswer {
  settings: GuildSettings;
}

/** What is to change of a guild. What is left out stays as it is, null clears it. */
export interface GuildSettingsChange {
  bannerImage: string | null;
  /** The token's user; anybody else is refused. */
  discordId: string | null;
  /** Empty, or an invite of Discord. */
  discordLink: string | null;
  guildImage: string | null;
  guildShort: string;
}

/** The figures of a guild. */
export interface GuildStats {
  missions_completed: number;
  overall: number;
  playtime: number;
  pu_npc_kills: number;
  pu_player_kills: number;
  pu_vehicle_destruction_caused: number;
}

export interface GuildStatsAnswer {
  data: GuildStats;
}

/** A guild's own page. */
export interface GuildView {
  active_member_count: number;
  is_claimed: boolean;
  member_count: number;
  missions_completed: number;
  name: string;
  overall: number;
  patch: string;
  /** Seconds, all members together. */
  playtime: number;
  profile_views: number;
  rank_overall: number | null;
  rank_pve: number | null;
  rank_pvp: number | null;
  rank_vehicle: number | null;
  roster: GuildRoster | null;
  short: string;
  top_members: GuildMember[];
  total_member_count: number;
}

export interface GuildsBoard {
  data: GuildRow[];
  pagination: OffsetPagination;
}

export interface Health {
  status: string;
  version: string;
}

/** All that strangers learn of a hidden player. */
export interface HiddenPlayer {
  handle: string;
  is_hidden: boolean;
}

export interface History {
  data: DayValue[];
}

/** The identifier of an event. */
export type Identifier = "kill" | "kill_log" | "npc_kill" | "npc-kill" | "vehicle_soft_death" | "vehicle_destruction" | "vehicle_instant_destruction" | "seat_entered" | "seat_exited" | "mission_accepted" | "mission_start" | "mission_complete" | "mission_completed" | "mission_updated" | "objective" | "login" | "logout" | "connection_success";

export interface IngestAnswer {
  /** New events that are on disk now. */
  accepted: number;
  /** Events that were known already, by this reader or by another. */
  duplicates: number;
  rejected: Rejected[];
}

export interface IngestKey {
  /** Epoch seconds. */
  created_at: number;
  id: string;
  last_used_at: number | null;
  name: string;
  /** Since when the key waits to be confirmed after a restore; it uploads nothing until then. Null for a confirmed key. */
  review_since: number | null;
  revoked_at: number | null;
}

export interface KeyList {
  keys: IngestKey[];
}

export interface KeyMade {
  key: IngestKey;
  /** Kept nowhere: it is shown this once. */
  secret: string;
}

/** What a player did over all time. */
export interface Lifetime {
  detailedStats: LifetimeStat[];
  mainStats: LifetimeStat[];
  /** Hours, one decimal. */
  playtimeHours: number;
  /** Sessions that were told of. */
  totalMatches: number;
}

/** A figure of the lifetime panel. */
export interface LifetimeStat {
  iconColor: string;
  label: string;
  /** Share of the whole, 0 to 100, where there is a whole. */
  percentage: number | null;
  value: number;
}

/** What the owner sees before confirming. */
export interface PendingReaderLogin {
  /** Epoch seconds. */
  asked_at: number;
  code: string;
  expires_at: number;
  /** The reader asked from the network that the owner looks from. */
  is_near: boolean;
  name: string;
}

/** How a login stands. */
export interface LoginStatus {
  state: LoginStateName;
}

/** What a reader says of itself. */
export interface LoginStart {
  /** The machine's name, under which the key will stand in its owner's list. */
  name: string;
}

/** A login that waits to be confirmed. */
export interface LoginStarted {
  /** To be typed or compared by the owner, such as `BCDF-GHJK`. */
  code: string;
  /** The page where the code is confirmed. */
  confirm_url: string;
  /** Seconds until the code dies. */
  expires_in: number;
  /** Seconds between two questions of how it stands. */
  interval: number;
  /** The ingest key. It opens nothing until the code is confirmed. */
  key: string;
}

/** The owner's word. */
export interface LoginDecision {
  allow: boolean;
}

export type LoginStateName = "waiting" | "confirmed" | "refused";

/** A ranked metric. The names are the values of `sortBy`. */
export type Metric = "overall" | "pu_player_kills" | "pve_kills" | "vehicle_destructions" | "missions_completed" | "playtime";

export interface MissionList {
  data: MissionRow[];
}

/** A contract and how often it was taken and done. */
export interface MissionRow {
  accepted: number;
  completed: number;
  contract_name: string;
  id: string;
  missions_accepted: number;
  missions_completed: number;
  name: string;
  /** Completed of accepted, 0 to 100 with one decimal; null when none was seen accepted. */
  success_rate: number | null;
  /** `Hauling`, `Bounty Hunting`, `Mining`, … from the contract's class, else from its title; `Contract` when neither says. */
  type: string;
}

export interface MostCommonMission {
  accepted: number;
  completed: number;
  name: string;
}

/** How often a vehicle was boarded or a weapon killed. */
export interface MostUsed {
  name: string;
  uses: number;
}

export interface NewKey {
  /** 1 to 60 characters. */
  name: string;
}

/** Where a list that is asked for from an offset stands. */
export interface OffsetPagination {
  hasNextPage: boolean;
  limit: number;
  offset: number;
  total: number;
}

export interface OwnSettings {
  settings: PlayerSettings | null;
}

/** Where a list that is asked for in pages stands. */
export interface PagePagination {
  hasNextPage: boolean;
  limit: number;
  page: number;
  total: number;
}

export interface PatchAnswer {
  data: PatchView;
}

/** PU figures of all players over one patch. */
export interface PatchStats {
  most_common_mission: MostCommonMission | null;
  most_used_vehicle: MostUsed | null;
  most_used_weapon: MostUsed | null;
  npc_kills: number;
  player_kills: number;
  vehicle_destructions: number;
}

export interface PatchView {
  patch: string;
  stats: PatchStats;
}

export interface PictureExport {
  bytes: number;
  created_at: number;
  is_used: boolean;
  /** The route it came in by. */
  kind: string;
  path: string;
}

/** A form with a picture, as `multipart/form-data`. */
export interface PictureForm {
  /** PNG, JPEG or WebP, told by its content. */
  image: string;
  /** Of cropped pictures: whose it is, `player` (default) or `guild`. */
  target: string | null;
}

/** Which picture is to go. */
export interface PictureRemoval {
  imagePath: string;
}

export interface PictureRemoved {
  message: string;
}

export interface PlaySessionExport {
  last_seen_at: number;
  login_at: number;
  logout_at: number | null;
}

export interface PlayerActivity {
  data: ActivityRow[];
  pagination: OffsetPagination;
}

export interface PlayerAnswer {
  player: PlayerPage;
}

/** Which player; who asks is told by the token alone. */
export interface PlayerClaim {
  handle: string;
}

export interface PlayerClaimed {
  message: string;
  player: ClaimedPlayer;
}

export interface PlayerExport {
  citizen_record: string | null;
  former_handles: FormerHandle[];
  guild_rank: string | null;
  /** The overall score by days with any. */
  history: DayValue[];
  missions: MissionRow[];
  play_sessions: PlaySessionExport[];
  profile: PlayerPage;
  site_avatar_url: string | null;
  /** When the player's page on the game's site was read last. */
  site_read_at: number | null;
  sticker_grants: StickerGrant[];
  vehicles: VehicleRow[];
  weapons: WeaponRow[];
}

/** Either the page or the little that a hidden one shows. */
export type PlayerPage = PlayerView | HiddenPlayer;

/** A line of a players' board. Its texts are shared with what lies in memory of each player. */
export interface PlayerRow {
  banner_image: string | null;
  handle: string;
  id: string;
  /** Epoch seconds; null when never seen. */
  last_active: number | null;
  missions_completed: number;
  /** Places gained since the UTC day began, below 0: lost. Null over windows and for who had no rank then. */
  movement: number | null;
  org_name: string | null;
  org_short: string | null;
  overall: number;
  player_geid: string | null;
  player_name: string;
  /** Seconds. */
  playtime: number;
  profile_image: string | null;
  pu_player_kills: number;
  pve_kills: number;
  /** Equal scores share a rank. */
  rank: number;
  /** Sticker ids, at most four; null when the player never chose any. */
  stickers: string[] | null;
  vehicle_destructions: number;
}

/** What the owner of a player set. */
export interface PlayerSettings {
  banner_image: string | null;
  is_profile_hidden: boolean;
  profile_image: string | null;
  profile_settings: ProfileSettings | null;
}

/** What is to change of a player. What is left out stays as it is, null clears it. */
export interface PlayerSettingsChange {
  banner_image: string | null;
  /** Whose player; the token's user, for everyone but admins. */
  discordId: string | null;
  handle: string | null;
  profile_hidden: boolean | null;
  /** The path of a picture that this user uploaded. */
  profile_image: string | null;
  profile_settings: ProfileSettingsChange | null;
}

/** A player's own page. */
export interface PlayerView {
  bannerImage: string | null;
  game_stats: GameStats;
  handle: string;
  id: string;
  is_claimed: boolean;
  is_hidden: boolean;
  is_hidden_but_visible: boolean;
  is_profile_hidden: boolean;
  /** Human kills per death over both modes, two decimals. */
  kd_human: number;
  /** NPC kills per death by an NPC over both modes, two decimals. */
  kd_npc: number;
  /** Epoch seconds. */
  last_active: number | null;
  lifetime: Lifetime;
  missions_completed: number;
  org_name: string | null;
  org_short: string | null;
  overall: number;
  patch: string;
  /** Share of the ranked players that are at or below, one decimal. */
  percentile_overall: number | null;
  player_geid: string | null;
  player_name: string;
  /** Seconds. */
  playtime: number;
  profileImage: string | null;
  profile_views: number;
  progress: Progress;
  pu_player_kills: number;
  pve_kills: number;
  /** The best of the four ranks. */
  rank: number | null;
  rank_missions: number | null;
  rank_overall: number | null;
  rank_playtime: number | null;
  rank_pve: number | null;
  rank_pvp: number | null;
  rank_vehicle: number | null;
  stickers: string[] | null;
  unknown_deaths: number;
  vehicle_data: VehicleData;
  vehicle_destructions: number;
  viewing_as_admin: boolean;
  viewing_as_owner: boolean;
}

export interface PlayersBoard {
  pagination: PagePagination;
  players: PlayerRow[];
}

export interface ProfileSettings {
  /** Sticker ids, at most four. */
  stickers: string[];
}

export interface ProfileSettingsChange {
  /** Ids as text or numbers. */
  stickers: string[] | null;
}

/** Level and experience, from one published formula. */
export interface Progress {
  /** Points gained since this level began. */
  currentXP: number;
  level: number;
  /** Points from the beginning of this level to the next. */
  nextLevelXP: number;
  /** How far through this level, 0 to 100 with one decimal. */
  percent: number;
}

export interface Pushed {
  /** Commits that were new here. */
  commits: number;
}

export type Rarity = "common" | "rare" | "epic";

export interface Ready {
  database: boolean;
  index: boolean;
  ready: boolean;
}

export interface Rejected {
  error: string;
  /** Place in the batch, from 0. */
  index: number;
}

export interface Sample {
  count: number;
  /** The line without names and numbers. */
  line: string;
}

/** Lines that a reader did not know, sent with its user's yes. */
export interface SampleBatch {
  /** The patch the log names. */
  patch: string;
  samples: Sample[];
}

export interface SamplesAccepted {
  taken: number;
}

/** A line that readers told of. */
export interface SampleView {
  /** Epoch seconds. */
  first_at: number;
  last_at: number;
  line: string;
  patch: string;
  told: number;
}

export interface Samples {
  samples: SampleView[];
}

/** A word for the person who saved. */
export interface Saved {
  message: string;
}

export interface SearchAnswer {
  results: SearchResult[];
}

export interface SearchResult {
  /** The former handle that was found, where that is how. */
  former_handle: string | null;
  /** Of a player. */
  handle: string | null;
  member_count: number | null;
  /** Guild name, or the player's display name. */
  name: string | null;
  org_short: string | null;
  /** The guilds of the player, each once. */
  orgs: string[];
  player_name: string | null;
  /** Tag of a guild. */
  short: string | null;
  type: SearchType;
}

export type SearchType = "player" | "guild";

export interface SessionExport {
  created_at: number;
  /** Browser and system, such as `Firefox on Windows`; empty when they are not known. */
  device: string;
  ended_at: number | null;
  last_seen_at: number;
  refreshed_at: number;
}

/** The open sessions of the user, last seen first. */
export interface SessionList {
  sessions: SessionView[];
}

/** A signed-in browser of the user. Times are epoch seconds. */
export interface SessionView {
  created_at: number;
  /** Browser and system, such as `Firefox on Windows`; null when they are not known. */
  device: string | null;
  id: string;
  /** The session of the token that asks. */
  is_current: boolean;
  last_seen_at: number;
}

/** How many sessions were ended. */
export interface SessionsEnded {
  ended: number;
}

export interface ShownSettings {
  settings: PlayerSettings;
  /** Every sticker there is; `unlocked` says which of them this player may wear. */
  unlockedStickers: StickerView[];
}

export interface SignedInAnswer {
  /** Good for one hour; sent as `Authorization: Bearer`. */
  token: string;
  user: UserView;
}

/** Either is told: how to sign in, or that it is not set up. */
export type SiteAnswer = SiteConfig | UnconfiguredSite;

/** Sign-in, texts and links. */
export interface SiteConfig {
  discord: DiscordConfig;
  site: SiteTexts;
}

/** Texts and links. Links and the contact have no default; an empty one is not shown anywhere. */
export interface SiteTexts {
  bot_invite_url: string;
  bot_servers: string;
  bot_users: string;
  community_url: string;
  effective_date: string;
  game: string;
  installer_url: string;
  kanban_url: string;
  name: string;
  /** The home page shows one of them. */
  slogans: string[];
  source_url: string;
  support_contact: string;
  support_url: string;
  trademark: string;
}

export interface StickerCatalogue {
  /** In the order to show them. */
  stickers: CatalogueSticker[];
}

export interface StickerGrant {
  granted_at: number;
  id: string;
}

/** A player who was granted a sticker. */
export interface StickerHolder {
  /** Epoch seconds. */
  granted_at: number;
  handle: string;
}

/** A sticker as one player sees it. */
export interface StickerView {
  category: Category;
  description: string;
  id: string;
  image: string;
  name: string;
  rarity: Rarity;
  requirement: string;
  /** Whether this player may wear it. */
  unlocked: boolean;
}

/** What a player is to wear. */
export interface StickersChange {
  playerHandle: string | null;
  stickers: string[];
}

export interface TokenAnswer {
  token: string;
}

export interface ReportedUser {
  discord_id: string | null;
  /** The same, as Discord itself calls it. */
  id: string | null;
}

/** How a part is. */
export type Tone = "ok" | "warn" | "error" | "off";

export interface TopPlayers {
  players: PlayerRow[];
}

export interface Tracked {
  /** A random name for a day; null when nothing is stored. */
  sessionId: string | null;
}

/** What a site without a Discord client id answers, with status 200 and `success: false`. */
export interface UnconfiguredSite {
  /** `NOT_CONFIGURED`. */
  code: string;
  error: string;
  site: SiteTexts;
  success: boolean;
}

/** Whose player; an admin or another user may not give away what is somebody else's. */
export interface Unlink {
  discordId: string | null;
}

/** Where a picture lies now. It counts once settings name it. */
export interface Uploaded {
  imagePath: string;
  message: string;
}

export interface UserAnswer {
  user: UserView;
}

/** The signed-in user. */
export interface UserView {
  /** Path of the avatar on this site; null without one. */
  discord_avatar: string | null;
  discord_discriminator: string | null;
  discord_email: string | null;
  discord_global_name: string | null;
  discord_id: string;
  discord_username: string;
  /** Tag of the guild that this user may edit. */
  guild_ownership: string | null;
  /** The claimed player; null without one. */
  handle: string | null;
  is_active: boolean;
  is_admin: boolean;
  link_provider: string;
  /** Epoch seconds of the first sign-in. */
  linked_at: number;
  /** Tag of the claimed player's guild. */
  org_short: string | null;
}

/** Vehicles destroyed and lost, instant destructions included. */
export interface VehicleData {
  destroyed: number;
  lost: number;
}

export interface VehicleList {
  data: VehicleRow[];
}

/** Uses of a vehicle. */
export interface VehicleRow {
  /** Class of the vehicle in the game's log. */
  id: string;
  name: string;
  timesEntered: number;
  /** Its role, or `Vehicle`. */
  type: string;
  usage_count: number;
}

export interface Views {
  views: number;
}

export interface WeaponList {
  data: WeaponRow[];
}

/** Kills with a weapon. */
export interface WeaponRow {
  /** No log tells it: always null. */
  headshotPercentage: number | null;
  /** Class of the weapon in the game's log. */
  id: string;
  kills: number;
  name: string;
  /** `FPS`, `Ship`, `Missile`, … or `Weapon`. */
  type: string;
  usage_count: number;
}
