import type { CSSProperties } from "react";
import type { ReaderState } from "../../api/reader";
import { duration } from "../../lib/times";
import { Counter } from "../../ui/counter";
import { Name } from "../../ui/name";
import css from "./session-strip.module.css";
import { useTranslation } from "./use-translation";

/** Totals of the current or last session. */
export function SessionStrip({ state }: { state: ReaderState }) {
  const t = useTranslation();
  const { summary } = state;
  const figures: [string, number, string][] = [
    ["p_kills", summary.player_kills, "var(--metric-pvp)"],
    ["p_npc_kills", summary.npc_kills, "var(--metric-pve)"],
    ["p_deaths", summary.deaths, "var(--text)"],
    ["p_vehicles", summary.vehicles, "var(--metric-vehicles)"],
    ["p_missions", summary.missions_completed, "var(--metric-missions)"],
  ];
  return (
    <section aria-labelledby="session" className={css.session}>
      <h2 id="session">
        {t("p_session")}
        {summary.player && (
          <>
            {" "}
            <Name className="quiet">{summary.player}</Name>
          </>
        )}
      </h2>
      <dl className={css.strip}>
        {figures.map(([key, value, hue]) => (
          <div key={key} style={{ "--hue": hue } as CSSProperties}>
            <dt className="label">{t(key)}</dt>
            <dd>
              <Counter value={value} />
            </dd>
          </div>
        ))}
        <div style={{ "--hue": "var(--metric-playtime)" } as CSSProperties}>
          <dt className="label">{t("p_time")}</dt>
          <dd className="number">{duration(state.secs)}</dd>
        </div>
      </dl>
    </section>
  );
}
