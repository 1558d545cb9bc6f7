// Queries of players. Keys: `["players", resource, handle, …]`; live updates find queries by these parts.
import { queryOptions } from "@tanstack/react-query";
import { handleSegment } from "../lib/paths";
import { encoded } from "../lib/text";
import { call } from "./client";
import type { ActivityFilter, Pagination } from "./list-params";
import type {
  ActivityRow,
  CareerView,
  DayValue,
  GameMode,
  HiddenPlayer,
  MissionRow,
  PlayerView,
  VehicleRow,
  WeaponRow,
} from "./types";

const playerPath = (handle: string) => `/api/player/${handleSegment(handle)}`;
/** Handles are case-insensitive. */
const keyOf = (handle: string) => handle.toLowerCase();

/** The response for a hidden player, which contains nothing of the profile. */
export type HiddenAnswer = HiddenPlayer & { game_stats?: never };

export async function playerProfile(handle: string, signal?: AbortSignal): Promise<PlayerView | HiddenAnswer> {
  return (await call<{ player: PlayerView | HiddenAnswer }>(playerPath(handle), { signal })).player;
}

export const playerProfileQuery = (handle: string) =>
  queryOptions({
    queryKey: ["players", "profile", keyOf(handle)],
    queryFn: ({ signal }) => playerProfile(handle, signal),
    staleTime: 5_000,
  });

export const playerWeaponsQuery = (handle: string, gameMode: GameMode = "PU", limit = 50) =>
  queryOptions({
    queryKey: ["players", "weapons", keyOf(handle), { gameMode, limit }],
    queryFn: async ({ signal }) =>
      (await call<{ data: WeaponRow[] }>(`${playerPath(handle)}/weapons`, { query: { limit, gameMode }, signal })).data,
  });

export const playerVehiclesQuery = (handle: string, gameMode: GameMode = "PU", limit = 50) =>
  queryOptions({
    queryKey: ["players", "vehicles", keyOf(handle), { gameMode, limit }],
    queryFn: async ({ signal }) =>
      (await call<{ data: VehicleRow[] }>(`${playerPath(handle)}/vehicles`, { query: { limit, gameMode }, signal }))
        .data,
  });

export const playerMissionsQuery = (handle: string) =>
  queryOptions({
    queryKey: ["players", "missions", keyOf(handle)],
    queryFn: async ({ signal }) =>
      (await call<{ data: MissionRow[] }>(`${playerPath(handle)}/missions`, { signal })).data,
  });

export const playerHistoryQuery = (handle: string, metric: string, days = 30) =>
  queryOptions({
    queryKey: ["players", "history", keyOf(handle), { metric, days }],
    queryFn: async ({ signal }) =>
      (await call<{ data: DayValue[] }>(`${playerPath(handle)}/history`, { query: { metric, days }, signal })).data,
  });

export const playerCareerQuery = (handle: string, days = 30) =>
  queryOptions({
    queryKey: ["players", "career", keyOf(handle), { days }],
    queryFn: async ({ signal }) =>
      (await call<{ data: CareerView }>(`${playerPath(handle)}/career`, { query: { days }, signal })).data,
  });

export interface PlayerActivityPage {
  data: ActivityRow[];
  pagination?: Pagination;
}

export function playerActivity(
  handle: string,
  query: { limit: number; before?: string; offset?: number; filter?: ActivityFilter },
  signal?: AbortSignal,
): Promise<PlayerActivityPage> {
  return call(`${playerPath(handle)}/activity`, { query, signal });
}

/** Counts a view. Returns the total. */
export const viewPlayer = (handle: string) => call<{ views: number }>(`${playerPath(handle)}/view`, { method: "POST" });

/** Requests an update from the game's site; owner or admin only. */
export const refreshPlayer = (handle: string) =>
  call<{ success: true }>(`/api/player/update-profile/${encoded(handle)}`, {
    method: "POST",
    body: { force: true },
  });
