// Parses the bot's help file and the log reader's README. A level-2 heading starts a feature with a description; `###
// Commands`, `### Notes` and `### Media` contain lists and pictures.
import { listItems, type MediaItem, media, paragraphs, parseOutline, stripMarkdown } from "../../lib/outline";

const keepCode = (line: string) => stripMarkdown(line, true);

/** Texts keep backticks; `InlineText` renders them. */
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

/** Parses the bot's help file. */
export function parseHelpFile(markdown: string): HelpFile {
  const { title, intro, sections } = parseOutline(markdown);
  return {
    title,
    intro: paragraphs(intro).map(keepCode).join(" "),
    cards: sections.map((section) => {
      const outline = parseOutline(section.text, 3);
      const part = (slug: string) => outline.sections.find((one) => one.slug === slug)?.text ?? "";
      return {
        slug: section.slug,
        title: section.title,
        description: paragraphs(outline.intro).map(keepCode).join(" "),
        commands: listItems(part("commands")).map(command),
        notes: listItems(part("notes")).map(keepCode),
        media: media(section.text),
      };
    }),
  };
}

/** Parses a list item of the form: `/player handle` in backticks, a dash, a description. */
function command(point: string) {
  const found = /^`([^`]+)`\s*(?:[-–—:]\s*)?(.*)$/.exec(point);
  return { command: found?.[1] ?? stripMarkdown(point), description: keepCode(found?.[2] ?? "") };
}

export interface AppFeature {
  slug: string;
  title: string;
  description: string;
  /** The paragraphs after the first. */
  content: string[];
  items: string[];
  media: MediaItem[];
}

/** Parses the log reader's README. */
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
