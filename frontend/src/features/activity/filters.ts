// The filters of activity feeds and the URL parameter that selects one.
import { useSearchParams } from "react-router";
import type { ActivityFilter } from "../../api/list-params";

/** In the order of the options. */
export const ACTIVITY_FILTERS: readonly ActivityFilter[] = ["pvp", "pve", "vehicles", "missions"];

/** Filter labels within a sentence. */
export const FILTER_LABELS: Record<ActivityFilter, string> = {
  pvp: "PVP",
  pve: "PVE",
  vehicles: "vehicle",
  missions: "mission",
};

/** The filter in the URL's `filter` parameter. Null and unknown values select all events. */
export function useActivityFilter(): [
  filter: ActivityFilter | null,
  setFilter: (filter: ActivityFilter | null) => void,
] {
  const [params, setParams] = useSearchParams();
  const filter = ACTIVITY_FILTERS.find((one) => one === params.get("filter")) ?? null;
  const setFilter = (to: ActivityFilter | null) =>
    setParams(to ? { filter: to } : {}, { replace: true, preventScrollReset: true });
  return [filter, setFilter];
}
