// Every link of the site is made here, so that a handle or a tag is encoded once and in one way. Everybody who
// links calls these; nobody writes a path by hand. No link to the outside belongs here: those come from the site's settings.

import { encoded } from "./text";

export type PlayerTab = "overview" | "weapons" | "vehicles" | "missions" | "recent-activity";
export type GuildTab = "overview" | "players" | "recent-activity";

export const home = "/";
export const players = "/players";
export const guilds = "/guilds";
export const activity = "/activity";
export const claim = "/player/claim";
export const link = "/link";
export const connect = "/connect";
/** The same page, telling why it was opened. */
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
export const imageEditorTest = "/image-editor-test";
export const admin = "/admin";
export const myData = "/profile/data";
export const notFound = "/404";

/** Where a guild is claimed: the claim page with the guild's tag. */
export function guildClaim(tag: string): string {
  return `${claim}?guild=${encoded(tag.toUpperCase())}`;
}

/** A player's page; the first tab has no segment of its own. */
export function player(handle: string, tab?: PlayerTab): string {
  const base = `/player/${encoded(handle)}`;
  return tab && tab !== "overview" ? `${base}/${tab}` : base;
}

/** A player's figures to be laid over a video stream. */
export function overlay(handle: string): string {
  return `/overlay/player/${encoded(handle)}`;
}

/** The page of a player from a row: by `player_name`, else by `handle`. */
export function playerRowPath(row: { player_name?: string | null; handle: string }): string {
  return player(row.player_name || row.handle);
}

/** A guild's page; the tag is upper-cased as the server does. */
export function guild(tag: string, tab?: GuildTab): string {
  const base = `/guild/${encoded(tag.toUpperCase())}`;
  return tab && tab !== "overview" ? `${base}/${tab}` : base;
}

/** Old slugs that lead to today's guild tabs. */
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
