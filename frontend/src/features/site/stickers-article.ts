// The guide about stickers, generated from the server's catalogue.
import type { CatalogueSticker } from "../../api/types";

/** Escapes Markdown syntax. */
const escapeMarkdown = (text: string) => text.replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, "\\$&").replace(/\s+/g, " ");

export function stickersArticle(stickers: readonly CatalogueSticker[]): string {
  const sections = stickers.map((sticker) =>
    [
      `## ${sticker.name.replace(/\s+/g, " ")}`,
      `**${escapeMarkdown(sticker.requirement)}** (${sticker.rarity})`,
      escapeMarkdown(sticker.earned_by),
    ].join("\n\n"),
  );
  return [
    "# Stickers",
    "Players can show up to four stickers on their profile. A sticker is unlocked when its condition is met; the owner of the profile chooses which ones to show.",
    ...sections,
  ].join("\n\n");
}
