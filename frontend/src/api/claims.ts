// Claims of players and guilds: start, verify, cancel, unlink. All calls require a signed-in user.
import { call } from "./client";
import type { ClaimStarted } from "./types";

const post = <T>(path: string, body: unknown) => call<T>(path, { method: "POST", body });

export const startClaim = (handle: string, discordId: string) =>
  post<ClaimStarted>("/api/player/claim/start", { handle, discordId });

export const verifyClaim = (handle: string, discordId: string) =>
  post<{ player?: { handle: string; org_short: string | null }; message?: string }>("/api/player/claim/verify", {
    handle,
    discordId,
  });

export const cancelClaim = (handle: string, discordId: string) =>
  post<{ success: true }>("/api/player/claim/cancel", { handle, discordId });

export const unlinkPlayer = (discordId: string) =>
  call<{ success: true }>("/api/player/unlink", { method: "DELETE", body: { discordId } });

export const startGuildClaim = (guildShort: string) => post<ClaimStarted>("/api/guild/claim/start", { guildShort });

export const verifyGuildClaim = (guildShort: string) =>
  post<{ message?: string }>("/api/guild/claim/verify", { guildShort });
