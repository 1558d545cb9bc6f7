// What the owner of the site may set: its name, its texts, its links, and how to sign in. Keys: `["config"]`.
// The defaults are what is shown until the server answers and when it does not.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { ApiError } from "./errors";
import type { DiscordConfig, SiteTexts } from "./types";

export const DEFAULT_TEXTS: SiteTexts = {
  name: "Apogee",
  game: "Star Citizen",
  community_url: "https://discord.gg/apogee",
  support_url: "https://discord.gg/apogee",
  kanban_url: "https://github.com/orgs/apogee/projects/1",
  bot_invite_url: "https://discord.com/oauth2/authorize",
  installer_url: "https://github.com/apogee/apogee/releases/latest",
  source_url: "https://github.com/apogee/apogee",
  support_contact: "support@apogee.example",
  effective_date: "June 30, 2025",
  bot_servers: "600+",
  bot_users: "100k+",
  trademark:
    "Star Citizen® is a registered trademark of Cloud Imperium Rights LLC. This site is made by players and is not affiliated with the game's makers.",
  slogans: [
    "Every flight leaves a trace.",
    "Your verse, by the numbers.",
    "Fly it. Log it. Own it.",
    "The record of every dogfight.",
    "Know who rules the black.",
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
