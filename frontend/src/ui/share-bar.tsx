import { exact, percent } from "../lib/numbers";
import { TableTwin } from "./bar-plot";
import { hueOf, METRIC, MetricLabel, type MetricName } from "./metric";
import css from "./share-bar.module.css";

/** How a whole is made up of metrics: one bar, a legend with figures, and a table for screen readers. */
export function ShareBar({ title, parts }: { title: string; parts: readonly { metric: MetricName; value: number }[] }) {
  const whole = parts.reduce((sum, part) => sum + part.value, 0);
  return (
    <figure>
      <TableTwin
        title={title}
        heads={["Metric", "Count", "Percent"]}
        rows={parts.map(({ metric, value }) => [METRIC[metric].word, exact(value), `${percent(value, whole)}%`])}
      />
      <div aria-hidden="true">
        <div className={css.bar}>
          {parts.map(
            ({ metric, value }) =>
              value > 0 && (
                <span
                  key={metric}
                  style={{ ...hueOf(metric), flexGrow: value }}
                  title={`${METRIC[metric].word}: ${exact(value)}`}
                />
              ),
          )}
        </div>
        <ul role="list" className={css.legend}>
          {parts.map(({ metric, value }) => (
            <li key={metric}>
              <MetricLabel metric={metric} />
              <span className="figure" data-exact={exact(value)}>
                {percent(value, whole)}%
              </span>
            </li>
          ))}
        </ul>
      </div>
    </figure>
  );
}
