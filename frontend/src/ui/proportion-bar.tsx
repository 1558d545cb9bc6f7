import { exact, percent } from "../lib/numbers";
import { ScreenReaderTable } from "./bar-plot";
import { hueStyle, METRICS, MetricLabel, type MetricName } from "./metric";
import css from "./proportion-bar.module.css";

/** The shares of metrics in their total, as a stacked bar with a legend. Screen readers get a table. */
export function ProportionBar({
  title,
  parts,
}: {
  title: string;
  parts: readonly { metric: MetricName; value: number }[];
}) {
  const whole = parts.reduce((sum, part) => sum + part.value, 0);
  return (
    <figure>
      <ScreenReaderTable
        title={title}
        heads={["Metric", "Count", "Percent"]}
        rows={parts.map(({ metric, value }) => [METRICS[metric].label, exact(value), `${percent(value, whole)}%`])}
      />
      <div aria-hidden="true">
        <div className={css.bar}>
          {parts.map(
            ({ metric, value }) =>
              value > 0 && (
                <span
                  key={metric}
                  style={{ ...hueStyle(metric), flexGrow: value }}
                  title={`${METRICS[metric].label}: ${exact(value)}`}
                />
              ),
          )}
        </div>
        <ul role="list" className={css.legend}>
          {parts.map(({ metric, value }) => (
            <li key={metric}>
              <MetricLabel metric={metric} />
              <span className="number" data-exact={exact(value)}>
                {percent(value, whole)}%
              </span>
            </li>
          ))}
        </ul>
      </div>
    </figure>
  );
}
