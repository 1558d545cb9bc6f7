// Splits Markdown at its headings, for pages, the bot's help file and the log reader's README. Knows only lines and code
// fences.
import { tabSlug } from "./paths";

export interface Section {
  slug: string;
  title: string;
  /** The lines below the heading, including deeper headings. */
  text: string;
}

export interface Outline {
  /** The first level-1 heading. */
  title: string;
  /** The text before the first section. */
  intro: string;
  sections: Section[];
}

/** `SDKs and Libraries!` becomes `sdks-and-libraries`. */
export function slugOf(title: string): string {
  return tabSlug(title.replace(/[^\p{L}\p{N}\s-]/gu, ""));
}

/** Splits a text at the headings of one level. A `#` inside a code fence is not a heading. */
export function parseOutline(markdown: string, level: 2 | 3 = 2): Outline {
  const heading = new RegExp(`^#{${level}}\\s+(.+?)\\s*#*$`);
  const found: { title: string; lines: string[] }[] = [];
  const before: string[] = [];
  let title = "";
  let isInFence = false;
  for (const line of markdown.replace(/\r\n?/g, "\n").split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) isInFence = !isInFence;
    const own = isInFence ? null : heading.exec(line);
    const first = isInFence || title ? null : /^#\s+(.+?)\s*$/.exec(line);
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

/** Removes the Markdown syntax of one line. With `code`, backticks remain. */
export function stripMarkdown(line: string, code = false): string {
  const text = line
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/(^|\W)[*_]([^*_]+)[*_](?=\W|$)/g, "$1$2")
    .trim();
  return code ? text : text.replaceAll("`", "");
}

/** Returns the list items of a text. */
export function listItems(text: string): string[] {
  return text.split("\n").flatMap((line) => /^\s*[-*]\s+(.+)$/.exec(line)?.[1] ?? []);
}

/** Returns the paragraphs of a text that are not lists, pictures or headings. */
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

/** Returns the pictures and videos of a text. URLs of other hosts are omitted. */
export function media(text: string): MediaItem[] {
  return [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g)].flatMap(([, title = "", url = ""]) =>
    isOwnPath(url) ? [{ url, title }] : [],
  );
}

/** Reports whether a URL is a path of this site. `//host` and `/\host` are not. */
export function isOwnPath(url: string): boolean {
  return /^\/(?![/\\])/.test(url);
}
