// Where pictures are found. The server gives paths, whole addresses or data; this turns each into what an `<img>`
// takes, and names the picture to show when there is none. It loads nothing itself.
import { nameHash } from "./text";

export const DEFAULT_PLAYER_IMAGE = "/static/images/default-avatar.webp";
export const DEFAULT_GUILD_IMAGE = "/static/images/default-guild.webp";

export const PLAYER_BANNER_COUNT = 7;
export const GUILD_BANNER_COUNT = 5;

/** Raw base64 longer than this many characters is not shown as a profile picture. */
const MAX_BASE64_LENGTH = 50_000;

/** What an `<img>` takes for a picture as the server names it, or null when there is none. */
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

/** Pictures of other sites are blocked by the page's security policy: the default picture is shown instead. */
function isOwn(address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === location.origin;
}

/** The banner of a player without one: always the same for the same name. */
export function playerBanner(name: string): string {
  return `/static/images/banner-player-${(nameHash(name) % PLAYER_BANNER_COUNT) + 1}.webp`;
}

/** The banner of a guild without one: always the same for the same tag. */
export function guildBanner(tag: string): string {
  return `/static/images/banner-guild-${(nameHash(tag) % GUILD_BANNER_COUNT) + 1}.webp`;
}

/** The picture of a sticker. */
export function stickerImage(id: string | number): string {
  return `/static/stickers/${encodeURIComponent(String(id))}.png`;
}
