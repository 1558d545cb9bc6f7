// Sort keys and time windows of leaderboards, with their labels and metrics.

import type { BoardWindow } from "../../api/list-params";
import type { Metric } from "../../api/types";
import type { MetricName } from "../../ui/metric";

export const SORT_OPTIONS: readonly { value: Metric; label: string; metric: MetricName }[] = [
  { value: "overall", label: "Overall Score", metric: "overall" },
  { value: "pu_player_kills", label: "PVP", metric: "pvp" },
  { value: "pve_kills", label: "PVE", metric: "pve" },
  { value: "vehicle_destructions", label: "Vehicle Destructions", metric: "vehicles" },
  { value: "missions_completed", label: "Missions", metric: "missions" },
  { value: "playtime", label: "Playtime", metric: "playtime" },
  { value: "career", label: "Career", metric: "career" },
  { value: "ships_flown", label: "Ships Flown", metric: "ships" },
];

export const WINDOW_OPTIONS: readonly { value: BoardWindow; label: string }[] = [
  { value: "all", label: "All time" },
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "patch", label: "This patch" },
];

export const metricOf = (sortBy: Metric): MetricName =>
  SORT_OPTIONS.find((sort) => sort.value === sortBy)?.metric ?? "overall";
