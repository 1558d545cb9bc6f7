// Text files of the site: Markdown pages, the bot's help file, the log reader's README. Keys: `["text", path]`. Their content
// is untrusted: it is rendered as elements, never as HTML.
import { queryOptions } from "@tanstack/react-query";
import { callText, lastModified } from "./client";

export type TextName =
  | "about"
  | "privacy"
  | "terms"
  | "quick-start-guide"
  | "whose-reports-count"
  | "configuring-statsfeed-channels"
  | "api";

export const textPath = (name: TextName) => `/pages/${name}.md`;
export const HELP_PATH = "/help_en.md";
export const README_PATH = "/app_readme.md";

/** `fresh` bypasses all caches. */
export const textQuery = (path: string, fresh = false) =>
  queryOptions({
    queryKey: ["text", path],
    queryFn: ({ signal }) => callText(path, { signal, query: fresh ? { t: Date.now() } : undefined }),
    staleTime: fresh ? 0 : Number.POSITIVE_INFINITY,
  });

/** Returns the `Last-Modified` header of the help file. */
export const helpChangedAt = (signal?: AbortSignal) => lastModified(HELP_PATH, signal);
