// The six metrics: each has one word, one icon and one hue, everywhere. `MetricLabel` draws all three.
import { ChartNoAxesCombined, Clock3, Crosshair, Flag, type LucideIcon, Rocket, Skull } from "lucide-react";
import type { CSSProperties } from "react";
import css from "./metric.module.css";

export type MetricName = "overall" | "pvp" | "pve" | "vehicles" | "missions" | "playtime";

export const METRIC: Record<MetricName, { word: string; icon: LucideIcon; hue: string }> = {
  overall: { word: "Overall", icon: ChartNoAxesCombined, hue: "var(--metric-overall)" },
  pvp: { word: "PVP", icon: Crosshair, hue: "var(--metric-pvp)" },
  pve: { word: "PVE", icon: Skull, hue: "var(--metric-pve)" },
  vehicles: { word: "Vehicles", icon: Rocket, hue: "var(--metric-vehicles)" },
  missions: { word: "Missions", icon: Flag, hue: "var(--metric-missions)" },
  playtime: { word: "Playtime", icon: Clock3, hue: "var(--metric-playtime)" },
};

/** Sets `--hue` for what is inside: `<tr style={hueOf("pvp")}>`. */
export const hueOf = (metric: MetricName) => ({ "--hue": METRIC[metric].hue }) as CSSProperties;

export function MetricLabel({ metric, word, size = 16 }: { metric: MetricName; word?: string; size?: number }) {
  const { icon: Icon, word: usual } = METRIC[metric];
  return (
    <span className={css.label} style={hueOf(metric)}>
      <Icon size={size} strokeWidth={1.75} aria-hidden="true" />
      {word ?? usual}
    </span>
  );
}
