// Settings of players and guilds. Keys: `["settings", "player" | "guild", id]`. In a request, an omitted field remains
// unchanged and `null` clears it.
import { queryOptions } from "@tanstack/react-query";
import { encoded } from "../lib/text";
import { call } from "./client";
import type { GuildSettings, PlayerSettings, StickerView } from "./types";

export const playerSettingsQuery = (handle: string) =>
  queryOptions({
    queryKey: ["settings", "player", handle.toLowerCase()],
    queryFn: ({ signal }) =>
      call<{ settings: PlayerSettings | null; unlockedStickers: StickerView[] }>(
        `/api/player/settings/handle/${encoded(handle)}`,
        { signal },
      ),
  });

export interface PlayerSettingsChange {
  discordId: string;
  handle: string;
  profile_image?: string | null;
  banner_image?: string | null;
  profile_hidden?: boolean;
  /** What everybody may see beside the public events. */
  sharing?: { pay?: boolean; places?: boolean };
  profile_settings?: { stickers: (number | string)[] };
}

export const savePlayerSettings = (body: PlayerSettingsChange) =>
  call<{ message?: string }>("/api/player/settings", { method: "POST", body });

export const removePlayerSettings = (discordId: string) =>
  call<{ message?: string }>(`/api/player/settings/${encoded(discordId)}`, { method: "DELETE" });

export const saveStickers = (playerHandle: string, stickers: (number | string)[]) =>
  call<{ success: true }>("/api/player/settings/stickers", { method: "POST", body: { playerHandle, stickers } });

export const guildSettingsQuery = (tag: string) =>
  queryOptions({
    queryKey: ["settings", "guild", tag.toUpperCase()],
    queryFn: async ({ signal }) =>
      (
        await call<{ settings: GuildSettings }>(`/api/guild/settings/${encoded(tag.toUpperCase())}`, {
          signal,
        })
      ).settings,
  });

export interface GuildSettingsChange {
  guildShort: string;
  discordId: string;
  guildImage?: string | null;
  bannerImage?: string | null;
  discordLink?: string | null;
}

export const saveGuildSettings = (body: GuildSettingsChange) =>
  call<{ settings?: GuildSettings; message?: string }>("/api/guild/settings", { method: "POST", body });
