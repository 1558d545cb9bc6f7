// The stickers of a row, and their catalogue. The server sends the catalogue, since a site may define its own stickers.
import { useQuery } from "@tanstack/react-query";
import { stickersQuery } from "../../api/stickers";
import type { CatalogueSticker, PlayerRow } from "../../api/types";
import { stickerImage } from "../../lib/images";

export const STICKER_SLOTS = 4;

/** Stickers derived from statistics while the player has not chosen any. */
const FIRST_KILL_STICKER = "683583";
const HUNDRED_VEHICLES_STICKER = "775678";

/** The content of a sticker's tooltip. */
export type StickerInfo = Pick<CatalogueSticker, "name" | "description" | "rarity" | "requirement" | "image">;

export interface StickerCatalogue {
  /** Returns a sticker; ids that are not in the catalogue give an unknown sticker. */
  info: (id: string | number) => StickerInfo;
  /** Returns up to four ids: the chosen ones, else those derived from statistics that are in the catalogue. */
  idsFor: (row: Pick<PlayerRow, "stickers" | "pu_player_kills" | "vehicle_destructions">) => string[];
}

/** `stickers` is undefined until the catalogue is loaded. */
export function catalogueOf(stickers: readonly CatalogueSticker[] | undefined): StickerCatalogue {
  const known = new Map(stickers?.map((one) => [one.id, one]));
  return {
    info: (id) =>
      known.get(String(id)) ?? {
        name: stickers ? "Unknown Sticker" : "Sticker",
        description: "",
        rarity: "common",
        requirement: "",
        image: stickerImage(id),
      },
    idsFor: (row) => {
      if (row.stickers) return row.stickers.slice(0, STICKER_SLOTS).map(String);
      const derived: string[] = [];
      if (row.pu_player_kills > 0) derived.push(FIRST_KILL_STICKER);
      if (row.vehicle_destructions >= 100) derived.push(HUNDRED_VEHICLES_STICKER);
      return stickers ? derived.filter((id) => known.has(id)) : derived;
    },
  };
}

export function useStickers(): StickerCatalogue {
  const { data } = useQuery({ ...stickersQuery(), select: selectCatalogue });
  return data ?? WITHOUT_CATALOGUE;
}

const WITHOUT_CATALOGUE = catalogueOf(undefined);
/** Memoized per response: every row of a leaderboard uses it. */
const catalogueByResponse = new WeakMap<readonly CatalogueSticker[], StickerCatalogue>();

function selectCatalogue(stickers: readonly CatalogueSticker[]): StickerCatalogue {
  const catalogue = catalogueByResponse.get(stickers) ?? catalogueOf(stickers);
  catalogueByResponse.set(stickers, catalogue);
  return catalogue;
}
