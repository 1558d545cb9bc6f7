// The sticker catalogue and granted stickers. Keys: `["stickers"]`, `["admin", "stickers"]`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { CatalogueSticker, GrantedSticker } from "./types";

/** All stickers of this site and how they are earned. The catalogue only changes with the server's settings. */
export const stickersQuery = () =>
  queryOptions({
    queryKey: ["stickers"],
    queryFn: async ({ signal }) => (await call<{ stickers: CatalogueSticker[] }>("/api/stickers", { signal })).stickers,
    staleTime: Number.POSITIVE_INFINITY,
    // Without the catalogue, stickers are shown without names.
    meta: { quiet: true },
  });

/** All stickers with the players to whom they were granted; only for admins. */
export const grantedStickersQuery = () =>
  queryOptions({
    queryKey: ["admin", "stickers"],
    queryFn: async ({ signal }) =>
      (await call<{ stickers: GrantedSticker[] }>("/api/admin/stickers", { signal })).stickers,
  });

const holderPath = (sticker: string, handle: string) =>
  `/api/admin/stickers/${encodeURIComponent(sticker)}/players/${encodeURIComponent(handle)}`;

export const grantSticker = (sticker: string, handle: string) =>
  call<{ success: true }>(holderPath(sticker, handle), { method: "POST" });

export const revokeSticker = (sticker: string, handle: string) =>
  call<{ success: true }>(holderPath(sticker, handle), { method: "DELETE" });
