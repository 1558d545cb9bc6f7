// Image sources. Converts the server's paths, URLs and data to values for `<img>`, and names the fallback pictures.
import { nameHash } from "./text";

export const DEFAULT_PLAYER_IMAGE = "/static/images/default-avatar.webp";
export const DEFAULT_GUILD_IMAGE = "/static/images/default-guild.webp";

export const PLAYER_BANNER_COUNT = 7;
export const GUILD_BANNER_COUNT = 5;

/** Longer raw base64 is not shown as a profile picture. */
const MAX_BASE64_LENGTH = 50_000;

/** Returns the `src` for a picture as the server names it, or null if there is none. */
export function imageSrc(value: string | null | undefined): string | null {
  if (!value) return null;
  if (/^https?:/i.test(value)) return isOwn(value) ? value : null;
  if (/^(data:image\/|blob:)/i.test(value)) return value;
  if (value.startsWith("/9j/")) return value.length > MAX_BASE64_LENGTH ? null : `data:image/jpeg;base64,${value}`;
  if (value.startsWith("/") && !value.startsWith("//")) return value;
  if (/^[A-Za-z0-9+/]{64,}={0,2}$/.test(value))
    return value.length > MAX_BASE64_LENGTH ? null : `data:image/png;base64,${value}`;
  return null;
}

/** The content security policy blocks pictures of other sites; the fallback is shown instead. */
function isOwn(address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === location.origin;
}

/** Returns the fallback banner of a player: always the same for the same name. */
export function playerBanner(name: string): string {
  return `/static/images/banner-player-${(nameHash(name) % PLAYER_BANNER_COUNT) + 1}.webp`;
}

/** Returns the fallback banner of a guild: always the same for the same tag. */
export function guildBanner(tag: string): string {
  return `/static/images/banner-guild-${(nameHash(tag) % GUILD_BANNER_COUNT) + 1}.webp`;
}

export function stickerImage(id: string | number): string {
  return `/static/stickers/${encodeURIComponent(String(id))}.png`;
}
