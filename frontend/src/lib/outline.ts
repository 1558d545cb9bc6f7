// What a markdown text is made of, by its headings alone: pages, the help file of the bot and the readme of the reader
// are taken apart here. It knows lines and code fences; what the lines mean is drawn elsewhere.
import { tabSlug } from "./paths";

export interface Section {
  slug: string;
  title: string;
  /** The lines below the heading, deeper headings and all. */
  text: string;
}

export interface Outline {
  /** The first heading of the first level. */
  title: string;
  /** What stands before the first section. */
  intro: string;
  sections: Section[];
}

/** `SDKs and Libraries!` becomes `sdks-and-libraries`. */
export function slugOf(title: string): string {
  return tabSlug(title.replace(/[^\p{L}\p{N}\s-]/gu, ""));
}

/** Cuts a text at the headings of one level. A `#` inside a code fence is no heading. */
export function parseOutline(markdown: string, level: 2 | 3 = 2): Outline {
  const heading = new RegExp(`^#{${level}}\\s+(.+?)\\s*#*$`);
  const found: { title: string; lines: string[] }[] = [];
  const before: string[] = [];
  let title = "";
  let fenced = false;
  for (const line of markdown.replace(/\r\n?/g, "\n").split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const own = fenced ? null : heading.exec(line);
    const first = fenced || title ? null : /^#\s+(.+?)\s*$/.exec(line);
    if (own?.[1]) found.push({ title: stripMarkdown(own[1]), lines: [] });
    else if (first?.[1]) title = stripMarkdown(first[1]);
    else (found.at(-1)?.lines ?? before).push(line);
  }
  return {
    title,
    intro: before.join("\n").trim(),
    sections: found.map((one) => ({ slug: slugOf(one.title), title: one.title, text: one.lines.join("\n").trim() })),
  };
}

/** Markdown of one line without its marks, to be shown as text; with `code` the marks of code stay. */
export function stripMarkdown(line: string, code = false): string {
  const text = line
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/(^|\W)[*_]([^*_]+)[*_](?=\W|$)/g, "$1$2")
    .trim();
  return code ? text : text.replaceAll("`", "");
}

/** The points of the lists in a text, as they are written. */
export function listItems(text: string): string[] {
  return text.split("\n").flatMap((line) => /^\s*[-*]\s+(.+)$/.exec(line)?.[1] ?? []);
}

/** The paragraphs of a text that are neither list nor picture nor heading. */
export function paragraphs(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .map((part) => part.replace(/\s*\n\s*/g, " ").trim())
    .filter((part) => part !== "" && !/^([-*]\s|!\[|#)/.test(part));
}

export interface MediaItem {
  url: string;
  title: string;
}

/** The pictures and films of a text. Only those of this site: an address of another host is left out. */
export function media(text: string): MediaItem[] {
  return [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g)].flatMap(([, title = "", url = ""]) =>
    isOwnPath(url) ? [{ url, title }] : [],
  );
}

/** A path of this site and nothing that a browser would take for another host. */
export function isOwnPath(url: string): boolean {
  return /^\/(?![/\\])/.test(url);
}
