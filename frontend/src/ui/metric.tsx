// The metrics, each with a label, an icon and a color. `MetricLabel` renders all three.
import {
  BriefcaseBusiness,
  ChartNoAxesCombined,
  Clock3,
  Crosshair,
  Flag,
  type LucideIcon,
  Plane,
  Rocket,
  Skull,
} from "lucide-react";
import type { CSSProperties } from "react";
import css from "./metric.module.css";

export type MetricName = "overall" | "pvp" | "pve" | "vehicles" | "missions" | "playtime" | "career" | "ships";

export const METRICS: Record<MetricName, { label: string; icon: LucideIcon; hue: string }> = {
  overall: { label: "Overall", icon: ChartNoAxesCombined, hue: "var(--metric-overall)" },
  pvp: { label: "PVP", icon: Crosshair, hue: "var(--metric-pvp)" },
  pve: { label: "PVE", icon: Skull, hue: "var(--metric-pve)" },
  vehicles: { label: "Vehicles", icon: Rocket, hue: "var(--metric-vehicles)" },
  missions: { label: "Missions", icon: Flag, hue: "var(--metric-missions)" },
  playtime: { label: "Playtime", icon: Clock3, hue: "var(--metric-playtime)" },
  career: { label: "Career", icon: BriefcaseBusiness, hue: "var(--metric-career)" },
  ships: { label: "Ships Flown", icon: Plane, hue: "var(--metric-ships)" },
};

/** Sets `--hue` for descendants: `<tr style={hueStyle("pvp")}>`. */
export const hueStyle = (metric: MetricName) => ({ "--hue": METRICS[metric].hue }) as CSSProperties;

export function MetricLabel({ metric, label, size = 16 }: { metric: MetricName; label?: string; size?: number }) {
  const { icon: Icon, label: usual } = METRICS[metric];
  return (
    <span className={css.label} style={hueStyle(metric)}>
      <Icon size={size} strokeWidth={1.75} aria-hidden="true" />
      {label ?? usual}
    </span>
  );
}
