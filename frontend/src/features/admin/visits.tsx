import { useMemo } from "react";
import type { AdminVisits } from "../../api/admin";
import { BarPlot } from "../../ui/bar-plot";
import { LinePlot } from "../../ui/line-plot";
import css from "./visits.module.css";

/** Visits by day, pages, referrers, page errors and load times. */
export function Visits({ visits }: { visits: AdminVisits }) {
  const days = useMemo(() => visits.days.map((one) => one.day), [visits]);
  const series = useMemo(
    () => ({
      views: visits.days.map((one) => one.views),
      visitors: visits.days.map((one) => one.visitors),
      errors: visits.days.map((one) => one.errors),
      load: visits.days.map((one) => one.load_ms ?? 0),
    }),
    [visits],
  );
  return (
    <section aria-labelledby="visits" className={css.visits}>
      <h2 id="visits">Visits</h2>
      {days.length === 0 ? (
        <p className="quiet">No visits recorded yet.</p>
      ) : (
        <div className={css.plots}>
          <Plot title="Page views" unit="views" days={days} values={series.views} hue="--text" />
          <Plot title="Visitors" unit="visitors" days={days} values={series.visitors} hue="--live" />
          <Plot title="Page errors" unit="errors" days={days} values={series.errors} hue="--danger" />
          <Plot title="Load time, average" unit="ms" days={days} values={series.load} hue="--signal" />
          <div>
            <h3>Pages</h3>
            <BarPlot title="Pages" unit="views" bars={visits.pages} />
          </div>
          <div>
            <h3>Referrers</h3>
            {visits.referrers.length === 0 && <p className="quiet">No referrers yet.</p>}
            <BarPlot title="Referrers" unit="visits" bars={visits.referrers} />
          </div>
        </div>
      )}
    </section>
  );
}

function Plot(props: { title: string; unit: string; days: string[]; values: number[]; hue: string }) {
  return (
    <div>
      <h3>{props.title}</h3>
      <LinePlot {...props} />
    </div>
  );
}
