import { createElement, Fragment, type ReactNode } from "react";
import { Link } from "react-router";

/** Code between backticks, or a Markdown link to a page of this site. */
const MARKUP = /`([^`]*)`|\[([^\]]*)\]\((\/(?!\/)[^)\s]*)\)/g;

/** Text with code and links to pages of this site, as in Markdown. */
export function InlineText({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKUP)) {
    const [markup, code, label, path] = match;
    parts.push(text.slice(end, match.index));
    parts.push(path === undefined ? createElement("code", null, code) : createElement(Link, { to: path }, label));
    end = match.index + markup.length;
  }
  return createElement(Fragment, null, ...parts, text.slice(end));
}
