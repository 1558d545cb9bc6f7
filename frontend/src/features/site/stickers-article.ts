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
    "Players wear up to four stickers on their profile. Each is unlocked as soon as its condition is met, and the owner of the profile chooses which of them to wear.",
    ...sections,
  ].join("\n\n");
}
