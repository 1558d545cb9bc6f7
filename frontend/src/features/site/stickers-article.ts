// The article of the guides about stickers, written from the server's catalogue: a site may have stickers of its own.
import type { CatalogueSticker } from "../../api/types";

/** Signs that Markdown would take for marks. */
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
