import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { playerHistoryQuery } from "../../api/players";
import type { Metric } from "../../api/types";
import { LinePlot } from "../../ui/line-plot";
import { Select } from "../../ui/select";
import { ErrorState, Skeleton } from "../../ui/states";
import css from "./history-plot.module.css";
import sectionCss from "./section.module.css";

const METRICS: readonly { value: Metric; label: string; hue: string; unit: string }[] = [
  { value: "overall", label: "Overall Score", hue: "--text", unit: "Points" },
  { value: "pu_player_kills", label: "PVP", hue: "--metric-pvp", unit: "Kills" },
  { value: "pve_kills", label: "PVE", hue: "--metric-pve", unit: "Kills" },
  { value: "vehicle_destructions", label: "Vehicles", hue: "--metric-vehicles", unit: "Vehicles" },
  { value: "missions_completed", label: "Missions", hue: "--metric-missions", unit: "Missions" },
  { value: "career", label: "Career", hue: "--metric-career", unit: "Points" },
];

const DAYS = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
] as const;

const PLOT_HEIGHT_PX = 180;
const PLOT_WITH_LEGEND_HEIGHT_PX = 212;

/** A metric by day. The URL contains the metric and the number of days. */
export default function HistoryPlot({ handle }: { handle: string }) {
  const [params, setParams] = useSearchParams();
  const metric = METRICS.find(({ value }) => value === params.get("metric"))?.value ?? "overall";
  const days = DAYS.find(({ value }) => value === params.get("days"))?.value ?? "30";
  const set = (name: "metric" | "days", value: string, initial: string) =>
    setParams(
      (now) => {
        const to = new URLSearchParams(now);
        if (value === initial) to.delete(name);
        else to.set(name, value);
        return to;
      },
      { replace: true, preventScrollReset: true, state: { keepScroll: true } },
    );
  const { data, isLoadingError, refetch } = useQuery(playerHistoryQuery(handle, metric, Number(days)));
  const chosen = METRICS.find((one) => one.value === metric) ?? METRICS[0];
  return (
    <section aria-labelledby="over-days">
      <div className={sectionCss.head}>
        <h2 id="over-days">Daily activity</h2>
        <div className={css.choices}>
          <Select
            label="Metric"
            hideLabel
            value={metric}
            options={METRICS}
            onChange={(to) => set("metric", to, "overall")}
          />
          <Select label="Days" hideLabel value={days} options={DAYS} onChange={(to) => set("days", to, "30")} />
        </div>
      </div>
      {isLoadingError && <ErrorState title="Daily activity could not be loaded" onRetry={() => void refetch()} />}
      {!data && !isLoadingError && <Skeleton height={PLOT_WITH_LEGEND_HEIGHT_PX} />}
      {data && chosen && <DailyPlot data={data} hue={chosen.hue} unit={chosen.unit} label={chosen.label} />}
    </section>
  );
}

function DailyPlot({
  data,
  hue,
  unit,
  label,
}: {
  data: { day: string; value: number }[];
  hue: string;
  unit: string;
  label: string;
}) {
  // Memoized: new arrays redraw the plot.
  const { days, values } = useMemo(
    () => ({ days: data.map(({ day }) => day), values: data.map(({ value }) => value) }),
    [data],
  );
  return (
    <LinePlot title={`${label} by day`} days={days} values={values} unit={unit} hue={hue} height={PLOT_HEIGHT_PX} />
  );
}
