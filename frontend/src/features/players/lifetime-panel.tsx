import type { Lifetime, LifetimeStat, PlayerView } from "../../api/types";
import { exact, percent } from "../../lib/numbers";
import { lastActive, moment } from "../../lib/times";
import { Figure } from "../../ui/figure";
import css from "./lifetime-panel.module.css";

/** Level and experience: how far it is to the next. */
export function ProgressPanel({ player }: { player: PlayerView }) {
  const { level, currentXP, nextLevelXP } = player.progress;
  const share = percent(currentXP, nextLevelXP);
  return (
    <section aria-labelledby="progress" className={css.progress}>
      <h2 id="progress" className="label">
        Level
      </h2>
      <span className={css.level}>{exact(level)}</span>
      <div className={css.xp}>
        <progress max={100} value={Number(share)} aria-label="Progress to the next level" />
        <p className="quiet">
          <span className="figure">{exact(currentXP)}</span> / <span className="figure">{exact(nextLevelXP)}</span> XP ·{" "}
          {share}%
        </p>
      </div>
    </section>
  );
}

/** What adds up over all time. */
export function LifetimePanel({ lifetime, lastSeen }: { lifetime: Lifetime; lastSeen: number | null }) {
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
            <span className="figure" title={`${lifetime.playtimeHours} hours`}>
              {exact(Math.round(lifetime.playtimeHours))}h
            </span>
          </dd>
        </div>
        <div>
          <dt>Matches</dt>
          <dd>
            <Figure value={lifetime.totalMatches} />
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
                <Figure value={stat.value} />
              ) : (
                <span className="figure">{stat.value}</span>
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
