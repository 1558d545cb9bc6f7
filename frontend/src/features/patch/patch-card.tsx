import type { ReactNode } from "react";
import type { PatchCareer, PatchStats, PatchView } from "../../api/types";
import { exact } from "../../lib/numbers";
import { unescapeEntities } from "../../lib/text";
import { FormattedNumber } from "../../ui/formatted-number";
import { hueStyle, METRICS, type MetricName } from "../../ui/metric";
import { RollingNumber } from "../../ui/rolling-number";
import css from "./patch-card.module.css";

const DEFAULT_PATCH = "ALPHA 4.3.2";
const LOADING_TEXT = "Loading...";

interface PatchCardProps {
  /** Undefined while loading and after an error; placeholders are shown. */
  patch: PatchView | undefined;
  started: boolean;
  /** The background. */
  backdrop: ReactNode;
}

/** Statistics of the current patch. */
export function PatchCard({ patch, started, backdrop }: PatchCardProps) {
  const stats = patch?.stats;
  // Builds since 4.4 log no kills.
  const isWithoutKills = !!stats && stats.npc_kills + stats.player_kills + stats.vehicle_destructions === 0;
  return (
    <section className={css.card} aria-labelledby="patch-title">
      {backdrop}
      <div className={css.inner}>
        <header>
          <p className="label">Current patch</p>
          <h2 id="patch-title">{patch?.patch || DEFAULT_PATCH}</h2>
        </header>
        {isWithoutKills && stats?.career ? (
          <Career career={stats.career} started={started} />
        ) : (
          <Fights stats={stats} started={started} />
        )}
      </div>
    </section>
  );
}

function Fights({ stats, started }: { stats: PatchStats | undefined; started: boolean }) {
  const mission = stats?.most_common_mission;
  return (
    <>
      <dl className={css.figures}>
        <Total metric="pve" label="NPC Eliminated" value={stats?.npc_kills} started={started} />
        <Total metric="pvp" label="Player casualties" value={stats?.player_kills} started={started} />
        <Total metric="vehicles" label="Ships Destroyed" value={stats?.vehicle_destructions} started={started} />
      </dl>
      <dl className={css.most}>
        <MostUsed label="Most used vehicle" isLoaded={!!stats} name={stats?.most_used_vehicle?.name}>
          {stats?.most_used_vehicle && <Count value={stats.most_used_vehicle.uses} unit="uses" />}
        </MostUsed>
        <MostUsed label="Most used weapon" isLoaded={!!stats} name={stats?.most_used_weapon?.name}>
          {stats?.most_used_weapon && <Count value={stats.most_used_weapon.uses} unit="uses" />}
        </MostUsed>
        <MostUsed label="Most picked mission" isLoaded={!!stats} name={mission?.name}>
          {mission ? (
            <>
              <Count value={mission.accepted} unit="accepted" /> · <Count value={mission.completed} unit="completed" />
            </>
          ) : (
            !stats && "…"
          )}
        </MostUsed>
      </dl>
    </>
  );
}

/** The card of a patch whose builds log no kills. */
function Career({ career, started }: { career: PatchCareer; started: boolean }) {
  const { top_giver: giver, loading_time: loading, crashes_per_100_hours: crashes } = career;
  return (
    <>
      <dl className={css.figures}>
        <Total metric="missions" label="Contracts completed" value={career.contracts_completed} started={started} />
        <Total
          metric="playtime"
          label="Universe hours"
          value={Math.round(career.universe_time / 3_600)}
          started={started}
        />
        <Total metric="ships" label="Ships flown" value={career.ships_flown} started={started} />
      </dl>
      <dl className={css.most}>
        <MostUsed label="Top contract giver" isLoaded name={giver?.name}>
          {giver && <Count value={giver.uses} unit="completed" />}
        </MostUsed>
        <Fact label="Median loading time" value={loading === null ? "None yet" : `${exact(loading)} s`} />
        <Fact label="Crashes per 100 hours" value={crashes === null ? "From five players on" : crashes.toFixed(1)} />
      </dl>
    </>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Total(props: { metric: MetricName; label: string; value: number | undefined; started: boolean }) {
  const { icon: Icon } = METRICS[props.metric];
  return (
    <div style={hueStyle(props.metric)}>
      <dt>
        <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
        {props.label}
      </dt>
      <dd>
        {props.value === undefined ? LOADING_TEXT : <RollingNumber value={props.value} started={props.started} />}
      </dd>
    </div>
  );
}

function MostUsed(props: { label: string; isLoaded: boolean; name: string | undefined; children: ReactNode }) {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>
        <bdi translate={props.name ? "no" : undefined}>
          {props.name ? unescapeEntities(props.name) : props.isLoaded ? "None yet" : LOADING_TEXT}
        </bdi>
        {props.children && <span className={css.count}>{props.children}</span>}
      </dd>
    </div>
  );
}

function Count({ value, unit }: { value: number; unit: string }) {
  return (
    <span>
      <FormattedNumber value={value} /> {unit}
    </span>
  );
}
