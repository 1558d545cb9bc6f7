// Stickers: the catalogue of this site, and what admins grant. Keys: `["stickers"]`, `["admin", "stickers"]`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { CatalogueSticker, GrantedSticker } from "./types";

/** Every sticker of this site with what earns it. It changes with the settings of the server alone. */
export const stickersQuery = () =>
  queryOptions({
    queryKey: ["stickers"],
    queryFn: async ({ signal }) => (await call<{ stickers: CatalogueSticker[] }>("/api/stickers", { signal })).stickers,
    staleTime: Number.POSITIVE_INFINITY,
    // A page shows its stickers without their names then.
    meta: { quiet: true },
  });

/** Every sticker with the players who were granted it; only for admins. */
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
