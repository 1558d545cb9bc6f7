// Paths of the site's pages. All links use these functions, so that handles and tags are encoded in one place. External links
// come from the site's configuration.

import { encoded } from "./text";

export type PlayerTab = "overview" | "career" | "weapons" | "vehicles" | "missions" | "recent-activity";
export type GuildTab = "overview" | "players" | "recent-activity";

export const home = "/";
export const players = "/players";
export const guilds = "/guilds";
export const activity = "/activity";
export const claim = "/player/claim";
export const link = "/link";
export const connect = "/connect";
/** The link page with the reason for the visit. */
export const linkToClaim = "/link?for=claim";
export const updates = "/updates";
export const profile = "/profile";
export const about = "/about";
export const guides = "/guides";
export const privacy = "/privacy";
export const terms = "/terms";
export const api = "/api";
export const discordBot = "/discord-bot";
export const connectApp = "/connect-app";
/** Reads the logs of the player in the browser and uploads their events. */
export const upload = "/upload";
declare const HAS_LOG_PARSER: boolean;
/** Whether the site was built with the parser of logs. Without it, nothing links to {@link upload}. */
export const canReadLogs = HAS_LOG_PARSER;
export const admin = "/admin";
export const myData = "/profile/data";

/** The claim page for a guild. */
export function guildClaim(tag: string): string {
  return `${claim}?guild=${encoded(tag.toUpperCase())}`;
}

/** The page of an event. */
export function event(id: string): string {
  return `/event/${encoded(id)}`;
}

/** Words that stand in the place of a handle in paths of the site or of its API. */
const PATH_WORDS = new Set(["claim", "me", "settings", "unlink", "update-profile"]);

/** A handle as a segment of a path. One that is a word of another path has an `@` before it. */
export function handleSegment(handle: string): string {
  return `${PATH_WORDS.has(handle) ? "@" : ""}${encoded(handle)}`;
}

/** The handle of a path segment. */
export function handleOf(segment: string | undefined): string {
  return (segment ?? "").replace(/^@/, "");
}

/** A player's page; the first tab has no path segment. */
export function player(handle: string, tab?: PlayerTab): string {
  const base = `/player/${handleSegment(handle)}`;
  return tab ? `${base}/${tab}` : base;
}

/** The overlay for a video stream. */
export function overlay(handle: string): string {
  return `/overlay/player/${encoded(handle)}`;
}

/** A guild's page. Tags are uppercase, as on the server. */
export function guild(tag: string, tab?: GuildTab): string {
  const base = `/guild/${encoded(tag.toUpperCase())}`;
  return tab && tab !== "overview" ? `${base}/${tab}` : base;
}

/** Former slugs of guild tabs. */
export const GUILD_TAB_ALIASES: Readonly<Record<string, GuildTab>> = {
  members: "players",
  activity: "recent-activity",
};

/** `recent-activity` becomes `Recent Activity`. */
export function tabLabel(slug: string): string {
  return slug
    .split("-")
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}

/** `Recent Activity` becomes `recent-activity`. */
export function tabSlug(label: string): string {
  return label.trim().toLowerCase().replace(/\s+/g, "-");
}
