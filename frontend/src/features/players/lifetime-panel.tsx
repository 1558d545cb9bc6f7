import type { Lifetime, LifetimeStat } from "../../api/types";
import { exact } from "../../lib/numbers";
import { lastActive, moment } from "../../lib/times";
import { FormattedNumber } from "../../ui/formatted-number";
import css from "./lifetime-panel.module.css";

/** Lifetime totals. */
export default function LifetimePanel({ lifetime, lastSeen }: { lifetime: Lifetime; lastSeen: number | null }) {
  const stats: LifetimeStat[] = [...(lifetime.mainStats ?? []), ...(lifetime.detailedStats ?? [])];
  return (
    <section aria-labelledby="lifetime">
      <h2 id="lifetime" className={css.title}>
        Lifetime
      </h2>
      <dl className={css.list}>
        <div>
          <dt>Playtime</dt>
          <dd>
            <span className="number" data-exact={`${lifetime.playtimeHours} hours`}>
              {exact(Math.round(lifetime.playtimeHours))}h
            </span>
          </dd>
        </div>
        <div>
          <dt>Matches</dt>
          <dd>
            <FormattedNumber value={lifetime.totalMatches} />
          </dd>
        </div>
        {stats.map((stat) => (
          <div key={stat.label}>
            <dt>{stat.label}</dt>
            <dd>
              {stat.percentage !== undefined && stat.percentage !== null && (
                <span className="quiet">{stat.percentage.toFixed(1)}%</span>
              )}
              {typeof stat.value === "number" ? (
                <FormattedNumber value={stat.value} />
              ) : (
                <span className="number">{stat.value}</span>
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt>Last Active</dt>
          <dd title={lastSeen ? moment(lastSeen) : undefined}>{lastActive(lastSeen)}</dd>
        </div>
      </dl>
    </section>
  );
}
