// What the owner of the site may set: its name, its texts, its links, and how to sign in. Keys: `["config"]`.
// The defaults are what is shown until the server answers and when it does not.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { ApiError } from "./errors";
import type { DiscordConfig, SiteTexts } from "./types";

export const DEFAULT_TEXTS: SiteTexts = {
  name: "Apogee",
  game: "Star Citizen",
  community_url: "https://discord.com/",
  support_url: "https://discord.com/",
  kanban_url: "https://github.com/",
  bot_invite_url: "https://discord.com/oauth2/authorize",
  installer_url: "",
  source_url: "https://github.com/",
  support_contact: "",
  effective_date: "June 30, 2025",
  bot_servers: "600+",
  bot_users: "100k+",
  trademark:
    "Star Citizen® is a registered trademark of Cloud Imperium Rights LLC. This site is not affiliated with it.",
  slogans: [
    "Every flight leaves a trace",
    "The verse keeps score",
    "Know who you meet out there",
    "Your name, written in the black",
    "Fly it, log it, own it",
  ],
};

/** What the page knows of the site; `discord` is null where signing in is not set up. */
export interface SiteSettings {
  discord: DiscordConfig | null;
  site: SiteTexts;
}

type ConfigAnswer = { discord?: DiscordConfig; code?: string; site?: Partial<SiteTexts> };

export const configQuery = () =>
  queryOptions({
    queryKey: ["config"],
    queryFn: async ({ signal }): Promise<SiteSettings> => {
      try {
        const answer = await call<ConfigAnswer>("/api/config", { signal, auth: false });
        return { discord: answer.discord ?? null, site: { ...DEFAULT_TEXTS, ...answer.site } };
      } catch (error) {
        // Signing in is not set up: an answer like any other.
        if (error instanceof ApiError && error.code === "NOT_CONFIGURED") {
          return { discord: null, site: { ...DEFAULT_TEXTS, ...(error.body as ConfigAnswer).site } };
        }
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
