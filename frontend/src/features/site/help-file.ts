// The help file of the bot and the readme of the reader, as what their pages show. Their form: a heading of the second
// level is a feature; below it prose, and under `### Commands`, `### Notes`, `### Media` lists and pictures.
import { type Medium, media, outline, plain, points, prose } from "../../lib/outline";

const withCode = (line: string) => plain(line, true);

/** Texts keep the marks of code in a line; `InlineText` draws them. */
export interface FeatureCard {
  slug: string;
  title: string;
  description: string;
  commands: { command: string; description: string }[];
  notes: string[];
  media: Medium[];
}

export interface HelpFile {
  title: string;
  intro: string;
  cards: FeatureCard[];
}

/** Takes the bot's help file apart. */
export function readHelp(markdown: string): HelpFile {
  const { title, intro, sections } = outline(markdown);
  return {
    title,
    intro: prose(intro).map(withCode).join(" "),
    cards: sections.map((section) => {
      const inside = outline(section.text, 3);
      const part = (slug: string) => inside.sections.find((one) => one.slug === slug)?.text ?? "";
      return {
        slug: section.slug,
        title: section.title,
        description: prose(inside.intro).map(withCode).join(" "),
        commands: points(part("commands")).map(command),
        notes: points(part("notes")).map(withCode),
        media: media(section.text),
      };
    }),
  };
}

/** A point such as: code `/player handle`, a dash, what it does. */
function command(point: string) {
  const found = /^`([^`]+)`\s*(?:[-–—:]\s*)?(.*)$/.exec(point);
  return { command: found?.[1] ?? plain(point), description: withCode(found?.[2] ?? "") };
}

export interface AppFeature {
  slug: string;
  title: string;
  description: string;
  /** All paragraphs after the first. */
  content: string[];
  items: string[];
  media: Medium[];
}

/** Takes the reader's readme apart. */
export function readReadme(markdown: string): { title: string; intro: string; features: AppFeature[] } {
  const { title, intro, sections } = outline(markdown);
  return {
    title,
    intro: prose(intro).map(withCode).join(" "),
    features: sections.map((section) => {
      const [description = "", ...content] = prose(section.text).map(withCode);
      return {
        slug: section.slug,
        title: section.title,
        description,
        content,
        items: points(section.text).map(withCode),
        media: media(section.text),
      };
    }),
  };
}
