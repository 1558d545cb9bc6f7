// The help file of the bot and the readme of the reader, as what their pages show. Their form: a heading of the second
// level is a feature; below it prose, and under `### Commands`, `### Notes`, `### Media` lists and pictures.
import { listItems, type MediaItem, media, paragraphs, parseOutline, stripMarkdown } from "../../lib/outline";

const keepCode = (line: string) => stripMarkdown(line, true);

/** Texts keep the marks of code in a line; `InlineText` draws them. */
export interface FeatureCard {
  slug: string;
  title: string;
  description: string;
  commands: { command: string; description: string }[];
  notes: string[];
  media: MediaItem[];
}

export interface HelpFile {
  title: string;
  intro: string;
  cards: FeatureCard[];
}

/** Takes the bot's help file apart. */
export function parseHelpFile(markdown: string): HelpFile {
  const { title, intro, sections } = parseOutline(markdown);
  return {
    title,
    intro: paragraphs(intro).map(keepCode).join(" "),
    cards: sections.map((section) => {
      const inside = parseOutline(section.text, 3);
      const part = (slug: string) => inside.sections.find((one) => one.slug === slug)?.text ?? "";
      return {
        slug: section.slug,
        title: section.title,
        description: paragraphs(inside.intro).map(keepCode).join(" "),
        commands: listItems(part("commands")).map(command),
        notes: listItems(part("notes")).map(keepCode),
        media: media(section.text),
      };
    }),
  };
}

/** A point such as: code `/player handle`, a dash, what it does. */
function command(point: string) {
  const found = /^`([^`]+)`\s*(?:[-–—:]\s*)?(.*)$/.exec(point);
  return { command: found?.[1] ?? stripMarkdown(point), description: keepCode(found?.[2] ?? "") };
}

export interface AppFeature {
  slug: string;
  title: string;
  description: string;
  /** All paragraphs after the first. */
  content: string[];
  items: string[];
  media: MediaItem[];
}

/** Takes the reader's readme apart. */
export function parseReaderReadme(markdown: string): { title: string; intro: string; features: AppFeature[] } {
  const { title, intro, sections } = parseOutline(markdown);
  return {
    title,
    intro: paragraphs(intro).map(keepCode).join(" "),
    features: sections.map((section) => {
      const [description = "", ...content] = paragraphs(section.text).map(keepCode);
      return {
        slug: section.slug,
        title: section.title,
        description,
        content,
        items: listItems(section.text).map(keepCode),
        media: media(section.text),
      };
    }),
  };
}
