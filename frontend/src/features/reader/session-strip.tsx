import { clsx } from "clsx";
import type { CSSProperties, ReactNode } from "react";
import type { Figure, ReaderState, Stopwatch } from "../../api/reader";
import { exact } from "../../lib/numbers";
import { clock } from "../../lib/times";
import { Name } from "../../ui/name";
import { useNow } from "../../ui/use-now";
import css from "./session-strip.module.css";
import { useTranslation } from "./use-translation";

/** A rate over less time says nothing. */
const MIN_RATE_MS = 300_000;
const HOUR_MS = 3_600_000;

const elapsed = (watch: Stopwatch, now: number) =>
  watch.ended_ms + (watch.since === null ? 0 : Math.max(0, now - watch.since));

/** The evening so far: clocks, contracts, pay, ship and crashes, and whether each figure leaves this computer. */
export function SessionStrip({ state }: { state: ReaderState }) {
  const t = useTranslation();
  const now = useNow(1_000);
  const { evening } = state;
  const universe = elapsed(evening.universe, now);
  const menu = Math.max(0, elapsed(evening.game, now) - universe);
  const rate = universe < MIN_RATE_MS ? "–" : ((evening.contracts_completed * HOUR_MS) / universe).toFixed(1);
  const crashes = { ships: exact(evening.ship_crashes), game: exact(evening.game_crashes) };
  const kills: [string, number, Figure, string][] = [
    ["p_kills", evening.player_kills, "kills", "var(--metric-pvp)"],
    ["p_npc_kills", evening.npc_kills, "kills", "var(--metric-pve)"],
    ["p_vehicles", evening.vehicles, "vehicles", "var(--metric-vehicles)"],
  ];
  return (
    <section aria-labelledby="session" className={css.session}>
      <h2 id="session">
        {t("p_session")}
        {evening.player && (
          <>
            {" "}
            <Name className="quiet">{evening.player}</Name>
          </>
        )}
      </h2>
      <dl className={css.strip}>
        <Cell label="p_universe" figure="clocks" state={state} hue="var(--metric-playtime)">
          {clock(universe / 1000)}
        </Cell>
        <Cell label="p_menu" figure="clocks" state={state}>
          {clock(menu / 1000)}
        </Cell>
        <Cell
          label="p_per_hour"
          figure="contracts"
          state={state}
          hue="var(--metric-missions)"
          detail={t("p_completed", { count: exact(evening.contracts_completed) })}
        >
          {rate}
        </Cell>
        <Cell
          label="p_pay"
          figure="pay"
          state={state}
          detail={evening.payouts === 0 ? t("p_no_pay") : `aUEC · ${t("p_notices", { count: exact(evening.payouts) })}`}
        >
          {evening.payouts > 0 && exact(evening.pay)}
        </Cell>
        <Cell
          label="p_since_death"
          figure="kills"
          state={state}
          detail={evening.deaths === 0 ? t("p_no_death") : t("p_death_count", { count: exact(evening.deaths) })}
        >
          {evening.died_at !== null && clock((now - evening.died_at) / 1000)}
        </Cell>
        <Cell label="p_ship" figure="ship" state={state} detail={evening.ship ?? t("p_no_ship")}>
          {evening.ship !== null && clock(elapsed(evening.seat, now) / 1000)}
        </Cell>
        <Cell label="p_crashes" figure="crashes" state={state} detail={t("p_crash_detail", crashes)}>
          {exact(evening.ship_crashes + evening.game_crashes)}
        </Cell>
        {kills.map(
          ([label, value, figure, hue]) =>
            value > 0 && (
              <Cell key={label} label={label} figure={figure} state={state} hue={hue}>
                {exact(value)}
              </Cell>
            ),
        )}
      </dl>
      <Contracts state={state} now={now} />
    </section>
  );
}

interface CellProps {
  label: string;
  figure: Figure;
  state: ReaderState;
  hue?: string;
  detail?: string;
  children: ReactNode;
}

/** A figure of the evening; nothing if the user has switched its events off. */
function Cell({ label, figure, state, hue = "var(--text)", detail, children }: CellProps) {
  const t = useTranslation();
  if (state.reach[figure] === "hidden") return null;
  return (
    <div style={{ "--hue": hue } as CSSProperties}>
      <dt className="label">{t(label)}</dt>
      {children !== false && <dd className={clsx("number", css.value)}>{children}</dd>}
      {detail && <dd>{detail}</dd>}
      <dd className={css.reach}>
        <Reach of={figure} state={state} />
      </dd>
    </div>
  );
}

function Reach({ of, state }: { of: Figure; state: ReaderState }) {
  const t = useTranslation();
  const isShared = state.reach[of] === "shared";
  return <span data-shared={isShared || undefined}>{t(isShared ? "p_shared" : "p_local")}</span>;
}

function Contracts({ state, now }: { state: ReaderState; now: number }) {
  const t = useTranslation();
  if (state.reach.contracts === "hidden") return null;
  const { contracts } = state.evening;
  return (
    <section aria-labelledby="contracts" className={css.contracts}>
      <h3 id="contracts">
        {t("p_open_contracts")}{" "}
        <span className={css.reach}>
          <Reach of="contracts" state={state} />
        </span>
      </h3>
      {contracts.length === 0 ? (
        <p className="quiet">{t("p_no_contracts")}</p>
      ) : (
        <ul role="list">
          {contracts.map(({ mission_id: id, title, accepted_at: at }) => (
            <li key={id}>
              <span translate="no">{title}</span>
              <span className="number">{clock((now - at) / 1000)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
