// Text files of the site: its pages in markdown, the help file of the bot, the readme of the reader. Keys: `["text", path]`.
// What is in them is not ours to trust; whoever draws it makes elements of it, never markup.
import { queryOptions } from "@tanstack/react-query";
import { callText, lastModified } from "./client";

export type TextName = "about" | "privacy" | "terms" | "quick-start-guide" | "configuring-statsfeed-channels" | "api";

export const textPath = (name: TextName) => `/pages/${name}.md`;
export const HELP_PATH = "/help_en.md";
export const README_PATH = "/app_readme.md";

/** The help file is asked for past every cache: it is what the bot can do today. */
export const textQuery = (path: string, fresh = false) =>
  queryOptions({
    queryKey: ["text", path],
    queryFn: ({ signal }) => callText(path, { signal, query: fresh ? { t: Date.now() } : undefined }),
    staleTime: fresh ? 0 : Number.POSITIVE_INFINITY,
  });

/** When the help file was changed last, as the server says. */
export const helpChangedAt = (signal?: AbortSignal) => lastModified(HELP_PATH, signal);
