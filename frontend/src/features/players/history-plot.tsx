import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { playerHistoryQuery } from "../../api/players";
import type { Metric } from "../../api/types";
import { LinePlot } from "../../ui/line-plot";
import { Select } from "../../ui/select";
import { ErrorState, Skeleton } from "../../ui/states";
import css from "./history-plot.module.css";

const METRICS: readonly { value: Metric; label: string; hue: string; unit: string }[] = [
  { value: "overall", label: "Overall Score", hue: "--text", unit: "Points" },
  { value: "pu_player_kills", label: "PVP", hue: "--metric-pvp", unit: "Kills" },
  { value: "pve_kills", label: "PVE", hue: "--metric-pve", unit: "Kills" },
  { value: "vehicle_destructions", label: "Vehicles", hue: "--metric-vehicles", unit: "Vehicles" },
  { value: "missions_completed", label: "Missions", hue: "--metric-missions", unit: "Missions" },
];

const DAYS = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
] as const;

const PLOT_HEIGHT = 180;

/** A metric over days. */
export default function HistoryPlot({ handle }: { handle: string }) {
  const [metric, setMetric] = useState<Metric>("overall");
  const [days, setDays] = useState<(typeof DAYS)[number]["value"]>("30");
  const { data, isLoadingError, refetch } = useQuery(playerHistoryQuery(handle, metric, Number(days)));
  const chosen = METRICS.find((one) => one.value === metric) ?? METRICS[0];
  return (
    <section aria-labelledby="over-days">
      <div className={css.head}>
        <h2 id="over-days">Activity over days</h2>
        <div className={css.choices}>
          <Select label="Metric" bare value={metric} options={METRICS} onChange={setMetric} />
          <Select label="Days" bare value={days} options={DAYS} onChange={setDays} />
        </div>
      </div>
      {isLoadingError && <ErrorState title="The days could not be loaded" onRetry={() => void refetch()} />}
      {!data && !isLoadingError && <Skeleton height={PLOT_HEIGHT} />}
      {data && chosen && <Days data={data} hue={chosen.hue} unit={chosen.unit} label={chosen.label} />}
    </section>
  );
}

function Days({
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
  // The plot is drawn anew when its arrays are others.
  const { days, values } = useMemo(
    () => ({ days: data.map(({ day }) => day), values: data.map(({ value }) => value) }),
    [data],
  );
  return (
    <LinePlot title={`${label} over days`} days={days} values={values} unit={unit} hue={hue} height={PLOT_HEIGHT} />
  );
}
