// Generated from the OpenAPI description by `npm run types`; do not edit. Responses contain every field; a missing value
// is null.

export interface AccountExport {
  /** Times of claim starts and verifications within the last ten minutes. */
  claim_tries: number[];
  /** Pending claims. */
  claims: ClaimExport[];
  /** Hash of the Discord avatar. */
  discord_avatar_hash: string | null;
  /** All events that name the player, newest first; pay and places are in `player`. */
  events: ActivityRow[];
  exported_at: number;
  guild: GuildExport | null;
  /** Without their secrets, which are not stored. */
  keys: IngestKey[];
  last_seen_at: number;
  /** Logs of the game that these keys have uploaded events from. */
  logs: LogExport[];
  pictures: PictureExport[];
  player: PlayerExport | null;
  sessions: SessionExport[];
  user: UserView;
}

/** The participants of an event. */
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

/** An event in a feed. Names are as in the log; friendly names are for display, where the catalogue has one. */
export interface ActivityRow {
  /** The channel of the log, if it is not LIVE; such events count nowhere. */
  channel: string | null;
  contract_id: string | null;
  contract_kind: string | null;
  contract_name: string | null;
  damage_type: string | null;
  /** Epoch seconds. */
  event_time: number;
  game_mode: GameMode | null;
  id: string;
  identifier: Identifier | null;
  /** Whether the player flew the ship for the first time. */
  is_first_flight: boolean;
  is_npc: boolean;
  /** Who gives the contract. */
  issuer: string | null;
  issuer_friendly_name: string | null;
  killer: string | null;
  killer_friendly_name: string | null;
  killer_is_npc: boolean;
  killer_profile_image: string | null;
  /** Tags of the guilds with visible members in the event. */
  orgs: string[];
  /** How a mission ended that was not completed: `failed`, `abandoned`, `withdrawn` or `deactivated`. */
  outcome: string | null;
  patch: string | null;
  player_is_npc: boolean;
  player_name: string | null;
  /** Whose logs reported the event: `killer`, `victim`, `player`, or `operator`. */
  reported_by: string[];
  /** Loading time of an arrival, or the time since the mission was accepted. */
  seconds: number | null;
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
  /** Number of logs that reported the event. */
  witnesses: number;
}

/** An action: a POST to the path, without a body. */
export interface AdminAction {
  label: string;
  path: string;
}

/** A named number. */
export interface AdminBar {
  label: string;
  value: number;
}

/** Totals of a day. */
export interface AdminDay {
  /** `YYYY-MM-DD` */
  day: string;
  errors: number;
  /** Average page load time; null without page loads. */
  load_ms: number | null;
  views: number;
  visitors: number;
}

/** An error since the start of the server. */
export interface AdminError {
  /** Epoch seconds. */
  at: number;
  /** The code of the response, or the name of the component. */
  code: string;
  message: string;
  /** The pattern of the route, not the requested path. */
  path: string | null;
  request_id: string | null;
}

/** A named value. */
export interface AdminFact {
  label: string;
  /** `bytes`, `seconds`, `ms`, or `at` for epoch seconds. */
  unit: string | null;
  value: Cell;
}

/** A report as admins see it. */
export interface AdminReport {
  /** The id of the event. */
  event: number;
  /** Epoch seconds. */
  event_time: number;
  identifier: string;
  /** The key that reported it; null for imported events. */
  key: number | null;
  killer: string | null;
  player: string | null;
  /** Epoch seconds; null if unknown. */
  received_at: number | null;
  /** `counted`, `waiting` for its patch, `other_channel`, `removed` or `blocked`. */
  state: string;
  victim: string | null;
}

export interface AdminReportPage {
  data: AdminReport[];
  /** The value of `after` for the next page; null at the end. */
  next: number | null;
  /** The number of all selected reports. */
  total: number;
}

/** A table with actions for each row. */
export interface AdminRows {
  /** One list per row. */
  acts: AdminAction[][];
  heads: string[];
  rows: ((Cell | null)[])[];
}

/** A section of the admin page. */
export interface AdminSection {
  /** In display order. */
  facts: AdminFact[];
  /** `database`, `index`, `upstreams`, `queues`, `jobs`, `statsfeed`, `webhooks`, `webhook-log`, `rosters`, `sessions`, `keys`, `reader`. */
  id: string;
  rows: AdminRows | null;
  /** One sentence about the state. */
  summary: string;
  title: string;
  tone: Tone;
}

/** The admin page. It contains no secrets, so it can be copied into a report. */
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

/** Totals of visits in the last thirty days. */
export interface AdminVisits {
  /** Oldest first, at least a week, including days without visits; empty if there were no visits. */
  days: AdminDay[];
  /** Most viewed first. */
  pages: AdminBar[];
  referrers: AdminBar[];
}

export interface Blueprint {
  name: string;
  /** When it was first received. */
  received_at: number;
}

/** The request of the page after the redirect from Discord. */
export interface Callback {
  code: string;
  /** The PKCE verifier, passed to Discord. */
  code_verifier: string | null;
  redirect_uri: string;
}

export interface Career {
  data: CareerView;
}

export interface CareerDay {
  career: number;
  contracts: number;
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  universe_time: number;
}

export interface CareerRecords {
  longest_stay: number;
  most_contracts_in_a_day: number;
  /** The quickest completed contract of each kind. */
  quickest: QuickestContract[];
}

/** What a player does in the Persistent Universe. Times are epoch seconds, durations seconds. */
export interface CareerView {
  /** Distinct blueprints, newest first. A name is shown once an operator or three accounts have reported it. */
  blueprints: Blueprint[];
  /** The number of distinct blueprints. */
  blueprints_received: number;
  /** For each UTC day: one point for six minutes in the universe, and five for a contract, at most ten times the points for time. */
  career: number;
  /** The median time from acceptance to end, of contracts of which the log tells both. */
  contract_duration: number | null;
  /** Completed contracts as a percentage of all that ended, one decimal; null if none did. */
  contract_success: number | null;
  contracts_completed: number;
  /** The newest days, oldest first. Days without play are 0. */
  days: CareerDay[];
  /** Deaths in the universe that the log tells: builds since 4.4 tell none. */
  deaths: number;
  /** How often the player was incapacitated. */
  downed: number;
  game_crashes: number;
  /** Contracts by giver, most completed first. */
  givers: GiverRow[];
  /** The longest universe time between two deaths, the running life included. */
  longest_life: number;
  pay: Pay | null;
  /** Places by visits, most first; null unless the owner of the player shares them. */
  places: PlaceRow[] | null;
  /** The level by `career`. */
  progress: Progress;
  rank_career: number | null;
  rank_ships_flown: number | null;
  records: CareerRecords;
  ship_crashes: number;
  /** Ships by uses, most first. */
  ships: ShipFlown[];
  ships_flown: number;
  /** The stickers that the career has earned, newest first. */
  stickers: EarnedSticker[];
  /** Universe time per death; null without deaths. */
  survival: number | null;
  /** Time in the universe without loading and menus. */
  universe_time: number;
}

/** A sticker in the public catalogue. */
export interface CatalogueSticker {
  category: Category;
  description: string;
  /** How it is earned, with the exact numbers of the rule. */
  earned_by: string;
  id: string;
  image: string;
  /** Only admins grant it. */
  is_granted: boolean;
  name: string;
  rarity: Rarity;
  /** How it is earned, in the words of the site. */
  requirement: string;
}

export type Category = "social" | "gameplay" | "default" | "in-game";

/** A text or an integer. */
export type Cell = number | string;

export interface ClaimExport {
  code: string;
  created_at: number;
  /** `player` or `guild`. */
  kind: string;
  target: string;
}

/** A started claim: its code has to be saved on the game's site. */
export interface ClaimStarted {
  /** The exact text that the bio has to contain. */
  expectedTag: string;
  /** Handle or tag, as spelled on the game's site. */
  handle: string;
  /** Always true: the code expires with success. */
  oneTimeUse: boolean;
  verificationCode: string;
}

/** Who has claimed the player of a log, other than the sender's account. */
export type ClaimedBy = "nobody" | "other";

/** The claimed player. */
export interface ClaimedPlayer {
  handle: string;
  org_short: string | null;
}

/** The machine-readable code of an error. */
export type Code = "VALIDATION" | "CODE_NOT_FOUND" | "UNAUTHORIZED" | "TOKEN_EXPIRED" | "FORBIDDEN" | "CLAIM_REQUIRED" | "SUSPICIOUS_ACCESS_BLOCKED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMIT_EXCEEDED" | "UPSTREAM_UNAVAILABLE" | "OVERLOADED" | "INTERNAL";

export interface CommitList {
  commits: CommitRow[];
  pagination: OffsetPagination;
}

export interface CommitRow {
  /** A path on this site, so visitors do not connect to the site that hosts the image. */
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

export interface CreatedKey {
  key: IngestKey;
  /** The secret, which is not stored and shown only once. */
  secret: string;
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

/** Details of a sign-in, as the page reports them. Only the token counts. */
export interface DiscordLogin {
  discordUser: ReportedUser | null;
}

/** An empty success response. */
export type Done = Record<string, unknown>;

export interface EarnedSticker {
  /** When the last event that it needed happened. */
  earned_at: number;
  id: string;
}

/** An oEmbed 1.0 link. */
export interface Embed {
  /** Seconds. */
  cache_age: number;
  provider_name: string;
  provider_url: string;
  thumbnail_height: number | null;
  /** Absent if the image exceeds the requested size, like its width and height. */
  thumbnail_url: string | null;
  thumbnail_width: number | null;
  title: string;
  type: string;
  version: string;
}

/** State of an entry of the history. */
export type EntryState = "running" | "done";

/** An event as a log reader sends it. Fields that do not apply are omitted; unknown fields are ignored. */
export interface Event {
  /** aUEC of a `payout`. */
  amount: number | null;
  /** Class of the contract. */
  contract_id: string | null;
  contract_kind: string | null;
  contract_name: string | null;
  damage_type: string | null;
  /** The sender's key of this event. The same key identifies the same event. */
  event_id: string | null;
  /** Epoch milliseconds; RFC 3339 text is accepted as well. */
  event_time: number;
  game_mode: GameMode | null;
  identifier: Identifier;
  /** Who gives the contract: the name of its generator. */
  issuer: string | null;
  /** The killer, or the cause of a vehicle's loss. */
  killer: string | null;
  killer_is_npc: boolean | null;
  /** Id of a single mission. It is accepted, completed and ended once. */
  mission_id: string | null;
  /** How a mission ended: `failed`, `abandoned`, `withdrawn` or `deactivated`. */
  outcome: string | null;
  patch: string | null;
  /** The player's entity id, as text or number. */
  player_geid: string | null;
  player_is_npc: boolean | null;
  /** The player whose seat, mission or session this is. */
  player_name: string | null;
  /** Loading time of `connection_success`, or the time since a mission was accepted. */
  seconds: number | null;
  sub_game_mode: string | null;
  /**
   * `disconnect`, `quit`, `crash` or `unknown` for `universe_left`, the exception for `game_crashed`, the blueprint for
   * `blueprint_received`.
   */
  text: string | null;
  /** Vehicle class, with its entity id if the log contains it. */
  vehicle_name: string | null;
  /** The victim, or the owner of the vehicle. */
  victim: string | null;
  victim_is_npc: boolean | null;
  /** Weapon class. */
  weapon: string | null;
  zone: string | null;
}

export interface EventAnswer {
  branch: string | null;
  /** The build of the game that wrote the log. */
  build: string | null;
  event: ActivityRow | null;
  /** Epoch seconds; null if unknown. */
  received_at: number | null;
  removed: RemovedEvent | null;
}

/** Events to store. An invalid one only affects itself. */
export interface EventBatch {
  events: Event[];
}

/** The body of every failed request. */
export interface Failure {
  claimed_by: ClaimedBy | null;
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

/** The ten counters in both game modes. */
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

/** Contracts of one giver. */
export interface GiverRow {
  abandoned: number;
  completed: number;
  /** The median time from acceptance to end. */
  duration: number | null;
  failed: number;
  /** Null if the log does not name it. */
  giver: string | null;
  /** Completed contracts as a percentage of all that ended, one decimal. */
  success: number | null;
}

/** A sticker with the players that it was granted to. */
export interface GrantedSticker {
  earned_by: string;
  /** Number of players that it was granted to. */
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

/** A row of a guild's feed: the fields of all feeds, with `timestamp` and `details`. */
export type GuildActivityRow = ActivityRow & {
  details: ActivityDetails;
  /** Epoch seconds; the same as `event_time`. */
  timestamp: number;
};

export interface GuildAnswer {
  guild: GuildView;
}

/** What the members of a guild do in the Persistent Universe. Sums are over all current members. */
export interface GuildCareer {
  career: number;
  contracts_completed: number;
  /** Contracts of visible members by giver, most completed first; at most 100 givers. */
  givers: GuildGiver[];
  rank_career: number | null;
  /** Time in the Persistent Universe without loading and menus, in seconds. */
  universe_time: number;
}

export interface GuildCareerAnswer {
  data: GuildCareer;
}

export interface GuildClaim {
  guildShort: string;
}

export interface GuildClaimed {
  /** The tag of the guild that the user can now edit. */
  guild_ownership: string;
  message: string;
}

export interface GuildExport {
  settings: GuildSettings;
  tag: string;
}

/** Contracts of one giver. */
export interface GuildGiver {
  abandoned: number;
  completed: number;
  failed: number;
  /** Null if the log does not name it. */
  giver: string | null;
}

/** A member of a guild. */
export interface GuildMember {
  banner_image: string | null;
  career: number;
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
  ships_flown: number;
  /** Time in the Persistent Universe without loading and menus, in seconds. */
  universe_time: number;
}

export interface GuildMembers {
  members: GuildMember[];
  pagination: OffsetPagination;
}

/** The member list of the game's site. */
export interface GuildRoster {
  affiliates: number;
  /** The list was not read completely. */
  is_partial: boolean;
  /** Named members with this as their main organization. */
  named: number;
  /** Number of members that the game's site shows. */
  total: number;
  /** Redacted and hidden members. */
  unnamed: number;
  /** Epoch seconds. */
  updated_at: number;
}

/** A row of the guild leaderboard. Values are sums over current members. */
export interface GuildRow {
  /** Seen in the last 30 days. */
  active_member_count: number;
  banner_image: string | null;
  career: number;
  guild_image: string | null;
  /** Member count of the game's site, or the number of members with a player on this site. */
  member_count: number;
  missions_completed: number;
  /** Ranks gained (positive) or lost since the UTC day began. Null in windows and without a rank at that time. */
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
  ships_flown: number;
  /** Members with a player on this site. */
  total_member_count: number;
  /** Time in the Persistent Universe without loading and menus, in seconds. */
  universe_time: number;
}

export interface GuildSaved {
  message: string;
  settings: GuildSettings;
}

/** Settings that the owner of a guild chose. */
export interface GuildSettings {
  banner_image: string | null;
  discord_link: string | null;
  guild_image: string | null;
}

export interface GuildSettingsAnswer {
  settings: GuildSettings;
}

/** Changes of a guild's settings. Omitted fields are unchanged, null clears a field. */
export interface GuildSettingsChange {
  bannerImage: string | null;
  /** Has to be the user of the token. */
  discordId: string | null;
  /** Empty, or a Discord invite. */
  discordLink: string | null;
  guildImage: string | null;
  guildShort: string;
}

/** Totals of a guild. */
export interface GuildStats {
  career: number;
  missions_completed: number;
  overall: number;
  playtime: number;
  pu_npc_kills: number;
  pu_player_kills: number;
  pu_vehicle_destruction_caused: number;
  ships_flown: number;
  /** Time in the Persistent Universe without loading and menus, in seconds. */
  universe_time: number;
}

export interface GuildStatsAnswer {
  data: GuildStats;
}

/** A guild page. */
export interface GuildView {
  active_member_count: number;
  career: number;
  is_claimed: boolean;
  member_count: number;
  missions_completed: number;
  name: string;
  /** Whether the page shows the career first. */
  opens_on_career: boolean;
  overall: number;
  patch: string;
  /** Seconds, summed over all members. */
  playtime: number;
  profile_views: number;
  rank_career: number | null;
  rank_overall: number | null;
  rank_pve: number | null;
  rank_pvp: number | null;
  rank_vehicle: number | null;
  roster: GuildRoster | null;
  ships_flown: number;
  short: string;
  /** The best members, by `career` if rankings open on it, otherwise by `overall`. */
  top_members: GuildMember[];
  total_member_count: number;
  /** Time in the Persistent Universe without loading and menus, in seconds. */
  universe_time: number;
}

export interface GuildsBoard {
  data: GuildRow[];
  pagination: OffsetPagination;
}

export interface Health {
  status: string;
  version: string;
}

/** A hidden player as other users see it. */
export interface HiddenPlayer {
  handle: string;
  is_hidden: boolean;
}

export interface History {
  data: DayValue[];
}

/** The identifier of an event. */
export type Identifier = "kill" | "kill_log" | "npc_kill" | "npc-kill" | "vehicle_soft_death" | "vehicle_destruction" | "vehicle_instant_destruction" | "seat_entered" | "seat_exited" | "mission_accepted" | "mission_start" | "mission_complete" | "mission_completed" | "mission_updated" | "objective" | "mission_ended" | "blueprint_received" | "payout" | "login" | "logout" | "connection_success" | "universe_left" | "game_crashed" | "place_visited" | "downed" | "ship_crashed";

export interface IngestAnswer {
  /** New events, now on disk. */
  accepted: number;
  /** Events of kinds that the owner of the player does not share. This is no failure: they are not stored. */
  dropped: number;
  /** Events that this or another reader has uploaded before. */
  duplicates: number;
  rejected: Rejected[];
}

export interface IngestKey {
  /** Epoch seconds. */
  created_at: number;
  id: string;
  last_used_at: number | null;
  name: string;
  /** Since when the key waits for confirmation after a restore, during which it cannot upload. Null for a confirmed key. */
  review_since: number | null;
  revoked_at: number | null;
}

export interface KeyAnswer {
  kind: KeyKind;
  /** The handle of the player that the account has claimed. */
  player: string | null;
}

/** The kind of an ingest key. */
export type KeyKind = "operator" | "account";

export interface KeyList {
  keys: IngestKey[];
}

/** Totals of a player over all time. */
export interface Lifetime {
  detailedStats: LifetimeStat[];
  mainStats: LifetimeStat[];
  /** Hours, one decimal. */
  playtimeHours: number;
  /** Reported sessions. */
  totalMatches: number;
}

/** A value of the lifetime panel. */
export interface LifetimeStat {
  iconColor: string;
  label: string;
  /** Percentage of the total, 0 to 100, if there is a total. */
  percentage: number | null;
  value: number;
}

export interface LogExport {
  branch: string | null;
  /** The changelist number of the game's build. */
  build: string | null;
  channel: string | null;
  /** First timestamp of the log. */
  first_at: number;
  /** The handle that the log names as the local player's. */
  handle: string | null;
  /** Last timestamp of the log that an upload has named. */
  last_at: number;
  /** The id that the log reader gave the log. */
  log: string;
  /** Name and version of the log reader. */
  reader: string | null;
  /** When the first events of the log arrived. */
  received_at: number;
}

/** The owner's decision. */
export interface LoginDecision {
  allow: boolean;
}

/** A login request of a reader. */
export interface LoginStart {
  /** Name of the machine, and of the key in its owner's list. */
  name: string;
}

/** A login that waits for confirmation. */
export interface LoginStarted {
  /** Code that the owner types or compares, such as `BCDF-GHJK`. */
  code: string;
  /** The page on which the owner confirms the code. */
  confirm_url: string;
  /** Seconds until the code expires. */
  expires_in: number;
  /** Seconds between two requests for the login state. */
  interval: number;
  /** The ingest key, inactive until the code is confirmed. */
  key: string;
}

export type LoginStateName = "waiting" | "confirmed" | "refused";

/** State of a login. */
export interface LoginStatus {
  state: LoginStateName;
}

/** A ranked metric. The names are the values of `sortBy`. */
export type Metric = "overall" | "pu_player_kills" | "pve_kills" | "vehicle_destructions" | "missions_completed" | "playtime" | "career" | "ships_flown";

export interface MissionList {
  data: MissionRow[];
}

/** Acceptances and completions of a contract. */
export interface MissionRow {
  accepted: number;
  completed: number;
  contract_name: string;
  id: string;
  missions_accepted: number;
  missions_completed: number;
  name: string;
  /** Percentage of accepted contracts that were completed, one decimal; null if none was accepted. */
  success_rate: number | null;
  /** `Hauling`, `Bounty Hunting`, `Mining`, … from the contract's class or title; otherwise `Contract`. */
  type: string;
}

/** What an admin does. */
export type ModerationAction = "block" | "unblock" | "remove" | "restore" | "pin" | "rename" | "merge";

/** An entry of the history. */
export interface ModerationEntry {
  action: ModerationAction;
  /** Epoch seconds. */
  at: number;
  /** Reports that are processed, of `total`. */
  done: number;
  /** Epoch seconds. */
  from: number | null;
  /** The new handle, or the player that a merged one becomes. */
  handle: string | null;
  id: number;
  reason: string;
  /** Running while the entry, or its undoing, is applied to stored reports. */
  state: EntryState;
  /** Such as `key 7`, `event 12`, the name of a patch or the handle of a player. */
  target: string;
  total: number;
  /** Epoch seconds; null unless it is undone. */
  undone_at: number | null;
  until: number | null;
}

export interface ModerationPage {
  /** Newest first. */
  data: ModerationEntry[];
  /** The value of `before` for the next page; null at the end. */
  next: number | null;
}

export interface ModerationRequest {
  /**
   * `block` and `unblock` a key or an account; `remove` and `restore` an event, or the reports of a key, an account or a player;
   * `pin` a patch; `rename` a player; `merge` a player into another one.
   */
  action: ModerationAction;
  /** The new handle of a renamed player, or the handle of the player that a merged one becomes. */
  handle: string | null;
  /** 1 to 500 characters. Visitors see the reason for which an event is removed. */
  reason: string;
  target: ModerationTarget;
}

/** What an action concerns: exactly one of the first five. */
export interface ModerationTarget {
  /** The Discord id of an account. */
  account: string | null;
  /** The id of an event. */
  event: number | null;
  /** Epoch seconds: only reports of events at or after this time. */
  from: number | null;
  /** The id of an ingest key. */
  key: number | null;
  /** A patch, such as `4.3.2`. */
  patch: string | null;
  /** The handle of a player. To remove or restore: the reports from the player's own log. */
  player: string | null;
  /** Epoch seconds: only reports of events before this time. */
  until: number | null;
}

export interface MostCommonMission {
  accepted: number;
  completed: number;
  name: string;
}

/** Uses of a vehicle, or kills with a weapon. */
export interface MostUsed {
  name: string;
  uses: number;
}

export interface NewKey {
  /** 1 to 60 characters. */
  name: string;
}

/** Pagination by offset. */
export interface OffsetPagination {
  hasNextPage: boolean;
  limit: number;
  offset: number;
  total: number;
}

export interface OwnSettings {
  settings: PlayerSettings | null;
}

/** Pagination by page number. */
export interface PagePagination {
  hasNextPage: boolean;
  limit: number;
  page: number;
  total: number;
}

export interface PatchAnswer {
  data: PatchView;
}

/** What all players have done in the Persistent Universe in a patch. */
export interface PatchCareer {
  contracts_completed: number;
  /** Crashes of the game per 100 hours in the universe, one decimal; null with fewer than five players. */
  crashes_per_100_hours: number | null;
  /** The median loading time in seconds. */
  loading_time: number | null;
  /** Ships that players flew for the first time. */
  ships_flown: number;
  top_giver: MostUsed | null;
  /** Seconds. */
  universe_time: number;
}

/** PU totals of all players in a patch. */
export interface PatchStats {
  career: PatchCareer;
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

/** Pay for contracts. The log tells it of some contracts only. */
export interface Pay {
  payouts: number;
  /** In aUEC; at least this much. */
  total: number;
}

/** A pending login as its owner sees it. */
export interface PendingReaderLogin {
  /** Epoch seconds. */
  asked_at: number;
  code: string;
  expires_at: number;
  /** Whether reader and owner are in the same network. */
  is_near: boolean;
  name: string;
}

export interface PictureExport {
  bytes: number;
  created_at: number;
  is_used: boolean;
  /** The upload route. */
  kind: string;
  path: string;
}

/** A form with an image, as `multipart/form-data`. */
export interface PictureForm {
  /** PNG, JPEG or WebP, detected by content. */
  image: string;
  /** For cropped images: `player` (default) or `guild`. */
  target: string | null;
}

/** The image to remove. */
export interface PictureRemoval {
  imagePath: string;
}

export interface PictureRemoved {
  message: string;
}

export interface PlaceRow {
  /** Class of the place in the game's log. */
  id: string;
  name: string;
  visits: number;
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

/** The player to claim. The token identifies the user. */
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
  /** The overall score of each day with any. */
  history: DayValue[];
  missions: MissionRow[];
  play_sessions: PlaySessionExport[];
  profile: PlayerPage;
  /** Pay and visited places, as far as they are shared, oldest first. */
  shared: SharedEvent[];
  sharing: SharingView;
  site_avatar_url: string | null;
  /** When the player's page on the game's site was read last. */
  site_read_at: number | null;
  sticker_grants: StickerGrant[];
  vehicles: VehicleRow[];
  weapons: WeaponRow[];
}

/** A player page, or the placeholder of a hidden player. */
export type PlayerPage = PlayerView | HiddenPlayer;

/** A row of the player leaderboard. Its texts are shared with the row cache. */
export interface PlayerRow {
  banner_image: string | null;
  career: number;
  handle: string;
  id: string;
  /** Epoch seconds; null if never seen. */
  last_active: number | null;
  missions_completed: number;
  /** Ranks gained (positive) or lost since the UTC day began. Null in windows and without a rank at that time. */
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
  ships_flown: number;
  /** Sticker ids, at most four; null if the player never chose any. */
  stickers: string[] | null;
  /** Time in the Persistent Universe without loading and menus, in seconds. */
  universe_time: number;
  vehicle_destructions: number;
}

/** Settings that the owner of a player chose. */
export interface PlayerSettings {
  banner_image: string | null;
  is_profile_hidden: boolean;
  profile_image: string | null;
  profile_settings: ProfileSettings | null;
  sharing: SharingView;
}

/** Changes of a player's settings. Omitted fields are unchanged, null clears a field. */
export interface PlayerSettingsChange {
  banner_image: string | null;
  /** The owner of the player, which has to be the user of the token, except for admins. */
  discordId: string | null;
  handle: string | null;
  profile_hidden: boolean | null;
  /** Path of an image that this user uploaded. */
  profile_image: string | null;
  profile_settings: ProfileSettingsChange | null;
  sharing: SharingChange | null;
}

/** A player page. */
export interface PlayerView {
  bannerImage: string | null;
  career: number;
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
  /** Whether the page shows the career first. */
  opens_on_career: boolean;
  org_name: string | null;
  org_short: string | null;
  overall: number;
  patch: string;
  /** Percentage of ranked players at or below this score, one decimal. */
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
  rank_career: number | null;
  rank_missions: number | null;
  rank_overall: number | null;
  rank_playtime: number | null;
  rank_pve: number | null;
  rank_pvp: number | null;
  rank_ships_flown: number | null;
  rank_vehicle: number | null;
  ships_flown: number;
  stickers: string[] | null;
  /** Time in the Persistent Universe without loading and menus, in seconds. */
  universe_time: number;
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
  /** Commits that were not stored before. */
  commits: number;
}

export interface QuickestContract {
  kind: string;
  seconds: number;
}

export type Rarity = "common" | "rare" | "epic";

export interface Ready {
  database: boolean;
  index: boolean;
  ready: boolean;
}

export interface Rejected {
  error: string;
  /** Index in the batch, from 0. */
  index: number;
}

/** Why the page of an event shows nothing else. */
export interface RemovedEvent {
  /** Epoch seconds. */
  at: number;
  reason: string;
}

export interface ReportedUser {
  discord_id: string | null;
  /** The same id, under Discord's field name. */
  id: string | null;
}

export interface Sample {
  count: number;
  /** The line, without names and numbers. */
  line: string;
}

/** Lines that a reader could not parse, sent with its user's consent. */
export interface SampleBatch {
  /** Patch that the log names. */
  patch: string;
  samples: Sample[];
}

/** An unknown line that readers reported. */
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

export interface SamplesAccepted {
  taken: number;
}

/** Message for the user. */
export interface Saved {
  message: string;
}

export interface SearchAnswer {
  results: SearchResult[];
}

export interface SearchResult {
  /** The former handle, if the search matched it. */
  former_handle: string | null;
  /** Handle of a player. */
  handle: string | null;
  member_count: number | null;
  /** Guild name, or the player's display name. */
  name: string | null;
  org_short: string | null;
  /** Guilds of the player, each once. */
  orgs: string[];
  player_name: string | null;
  /** Tag of a guild. */
  short: string | null;
  type: SearchType;
}

export type SearchType = "player" | "guild";

export interface SessionExport {
  created_at: number;
  /** Browser and system, such as `Firefox on Windows`; empty if unknown. */
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
  /** Browser and system, such as `Firefox on Windows`; null if unknown. */
  device: string | null;
  id: string;
  /** Whether this is the session of the request. */
  is_current: boolean;
  last_seen_at: number;
}

/** Number of sessions that were ended. */
export interface SessionsEnded {
  ended: number;
}

/** An event of a kind that is stored only while it is shared. */
export interface SharedEvent {
  /** aUEC. */
  amount: number | null;
  event_time: number;
  identifier: Identifier | null;
  mission_id: string | null;
  zone: string | null;
}

/** Omitted fields are unchanged. */
export interface SharingChange {
  pay: boolean | null;
  places: boolean | null;
}

/** What the owner of a player shares beside the public events. */
export interface SharingView {
  pay: boolean;
  places: boolean;
}

export interface ShipFlown {
  /** Class of the ship in the game's log. */
  id: string;
  last_flown: number;
  name: string;
  /** Time in the ship of the uses of which the log tells both ends. */
  timed: number;
  uses: number;
}

export interface ShownSettings {
  settings: PlayerSettings;
  /** All stickers; `unlocked` marks those that the player can wear. */
  unlockedStickers: StickerView[];
}

export interface SignedInAnswer {
  /** Valid for one hour; sent as `Authorization: Bearer`. */
  token: string;
  user: UserView;
}

/** The configuration of sign-in, or that it is not configured. */
export type SiteAnswer = SiteConfig | UnconfiguredSite;

/** Sign-in, texts and links. */
export interface SiteConfig {
  discord: DiscordConfig;
  site: SiteTexts;
  trust: TrustConfig;
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

export interface StartedEntry {
  entry: ModerationEntry;
}

export interface StickerCatalogue {
  /** In display order. */
  stickers: CatalogueSticker[];
}

export interface StickerGrant {
  granted_at: number;
  id: string;
}

/** A player with a granted sticker. */
export interface StickerHolder {
  /** Epoch seconds. */
  granted_at: number;
  handle: string;
}

/** A sticker in the catalogue of a player. */
export interface StickerView {
  category: Category;
  description: string;
  id: string;
  image: string;
  name: string;
  rarity: Rarity;
  requirement: string;
  /** Whether the player can wear it. */
  unlocked: boolean;
}

/** The stickers that a player wears. */
export interface StickersChange {
  playerHandle: string | null;
  stickers: string[];
}

export interface TokenAnswer {
  token: string;
}

/** State of a section. */
export type Tone = "ok" | "warn" | "error" | "off";

export interface TopPlayers {
  players: PlayerRow[];
}

export interface Tracked {
  /** A random id, valid for one day; null if nothing is stored. */
  sessionId: string | null;
}

/** How much one account can report. */
export interface TrustConfig {
  /** Events in one UTC day. */
  events_per_day: number;
  /** The last patch whose builds write kills and vehicle losses to the log, such as `4.3`; null if all do. */
  last_fight_patch: string | null;
  /** Such as `20 fights of one killer in 60 s`. */
  limits: string[];
}

/** The response without a Discord client id, with status 200 and `success: false`. */
export interface UnconfiguredSite {
  /** `NOT_CONFIGURED`. */
  code: string;
  error: string;
  site: SiteTexts;
  success: boolean;
  trust: TrustConfig;
}

/** The owner of the player, which has to be the user of the token. */
export interface Unlink {
  discordId: string | null;
}

/** Path of an uploaded image. It is shown once settings name it. */
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
  /** Always null: the log does not contain it. */
  headshotPercentage: number | null;
  /** Class of the weapon in the game's log. */
  id: string;
  kills: number;
  name: string;
  /** `FPS`, `Ship`, `Missile`, … or `Weapon`. */
  type: string;
  usage_count: number;
}
