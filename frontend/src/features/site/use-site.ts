// The site's texts and links, with defaults until the server responds.
import { useQuery } from "@tanstack/react-query";
import { configQuery, DEFAULT_TEXTS } from "../../api/config";
import type { SiteTexts } from "../../api/types";

export function useSite(): SiteTexts {
  return useQuery(configQuery()).data?.site ?? DEFAULT_TEXTS;
}
