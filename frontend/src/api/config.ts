// Site configuration set by its owner: name, texts, links, sign-in and limits. Keys: `["config"]`. The defaults apply until the server
// responds; empty links are not shown.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { ApiError } from "./errors";
import type { DiscordConfig, SiteTexts, TrustConfig } from "./types";

export const DEFAULT_TEXTS: SiteTexts = {
  name: "Apogee",
  game: "Star Citizen",
  community_url: "",
  support_url: "",
  kanban_url: "",
  bot_invite_url: "",
  installer_url: "",
  source_url: "",
  support_contact: "",
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

/** `discord` is null if signing in is not configured. */
export interface SiteSettings {
  discord: DiscordConfig | null;
  site: SiteTexts;
  /** Null if the server does not send it. */
  trust: TrustConfig | null;
}

type ConfigAnswer = { discord?: DiscordConfig; code?: string; site?: Partial<SiteTexts>; trust?: TrustConfig };

const settingsOf = ({ discord, site, trust }: ConfigAnswer): SiteSettings => ({
  discord: discord ?? null,
  site: { ...DEFAULT_TEXTS, ...site },
  trust: trust ?? null,
});

export const configQuery = () =>
  queryOptions({
    queryKey: ["config"],
    queryFn: async ({ signal }): Promise<SiteSettings> => {
      try {
        return settingsOf(await call<ConfigAnswer>("/api/config", { signal, auth: false }));
      } catch (error) {
        // NOT_CONFIGURED is a normal response: it carries the site texts.
        if (error instanceof ApiError && error.code === "NOT_CONFIGURED") return settingsOf(error.body as ConfigAnswer);
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
