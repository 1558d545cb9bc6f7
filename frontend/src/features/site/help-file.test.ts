import { expect, test } from "vitest";
import { parseHelpFile, parseReaderReadme } from "./help-file";

test("a feature has its description, commands, notes and pictures", () => {
  const { cards } = parseHelpFile(
    "# Bot\n\n## Boards\n\nShows `ten`.\n\n### Commands\n\n- `/top by:pve` - the board\n- `/top`: all\n\n### Notes\n\n- Note\n\n### Media\n\n![Shot](/pages/img/a.webp)\n![x](https://evil.test/x.png)",
  );
  expect(cards).toEqual([
    {
      slug: "boards",
      title: "Boards",
      description: "Shows `ten`.",
      commands: [
        { command: "/top by:pve", description: "the board" },
        { command: "/top", description: "all" },
      ],
      notes: ["Note"],
      media: [{ url: "/pages/img/a.webp", title: "Shot" }],
    },
  ]);
});

test("a text without features gives none", () => {
  expect(parseHelpFile("nothing here").cards).toEqual([]);
  expect(parseReaderReadme("").features).toEqual([]);
});

test("a feature of the reader has a description, paragraphs and list items", () => {
  const { features } = parseReaderReadme("# App\n\n## Filter\n\nOne\nline.\n\n- `--only`\n\nMore.");
  expect(features).toEqual([
    { slug: "filter", title: "Filter", description: "One line.", content: ["More."], items: ["`--only`"], media: [] },
  ]);
});
