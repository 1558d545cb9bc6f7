import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { playerVehiclesQuery, playerWeaponsQuery } from "../../api/players";
import type { PlayerView } from "../../api/types";
import { type PlayerTab, player as pathTo } from "../../lib/paths";
import { ProportionBar } from "../../ui/proportion-bar";
import { rankText, StatStrip } from "../../ui/stat-strip";
import { Skeleton } from "../../ui/states";
import CombatTable from "./combat-table";
import HistoryPlot from "./history-plot";
import LifetimePanel from "./lifetime-panel";
import css from "./player-overview.module.css";
import { ProgressPanel } from "./progress-panel";
import { vehicleRow, weaponRow } from "./usage-rows";
import { type UsageRow, UsageTable } from "./usage-table";

const TOP_ROWS = 2;

/** Starts the first queries of the tab before it renders. */
export function prefetchOverview(cache: QueryClient, handle: string) {
  void cache.prefetchQuery(playerWeaponsQuery(handle));
  void cache.prefetchQuery(playerVehiclesQuery(handle));
}

/** The first tab. The page renders `recent`, the recent activity. */
export function PlayerOverview({ player, recent }: { player: PlayerView; recent: ReactNode }) {
  const { handle, game_stats: stats } = player;
  const weapons = useQuery(playerWeaponsQuery(handle));
  const vehicles = useQuery(playerVehiclesQuery(handle));
  return (
    <>
      <Scores player={player} />
      <div className={css.columns}>
        <div className={css.main}>
          <HistoryPlot handle={handle} />
          {recent}
          <section aria-labelledby="combat">
            <h2 id="combat" className="visually-hidden">
              Combat
            </h2>
            <CombatTable stats={stats} />
          </section>
        </div>
        <div className={css.side}>
          <ProgressPanel player={player} />
          <section aria-labelledby="share">
            <h2 id="share">Score breakdown</h2>
            <ProportionBar
              title="Share of PVP, PVE and vehicles"
              parts={[
                { metric: "pvp", value: stats.pu_player_kills },
                { metric: "pve", value: player.pve_kills },
                { metric: "vehicles", value: player.vehicle_destructions },
              ]}
            />
          </section>
          <TopEquipment
            title="Top vehicles"
            handle={handle}
            tab="vehicles"
            headings={{ name: "Vehicle", value: "Entered" }}
            rows={vehicles.isLoadingError ? [] : vehicles.data?.map(vehicleRow)}
            empty="No vehicles recorded."
          />
          <TopEquipment
            title="Top weapons"
            handle={handle}
            tab="weapons"
            headings={{ name: "Weapon", value: "Kills" }}
            rows={weapons.isLoadingError ? [] : weapons.data?.map(weaponRow)}
            empty="No weapons recorded."
          />
          <LifetimePanel lifetime={player.lifetime} lastSeen={player.last_active} />
        </div>
      </div>
    </>
  );
}

function Scores({ player }: { player: PlayerView }) {
  return (
    <StatStrip
      label="Scores and ranks"
      stats={[
        { metric: "overall", value: player.overall, note: rankText(player.rank_overall) },
        { metric: "pvp", value: player.game_stats.pu_player_kills, note: rankText(player.rank_pvp) },
        { metric: "pve", value: player.pve_kills, note: rankText(player.rank_pve) },
        { metric: "vehicles", value: player.vehicle_destructions, note: rankText(player.rank_vehicle) },
        { metric: "missions", value: player.missions_completed, note: "completed" },
        { metric: "playtime", value: player.playtime, seconds: true, note: "in the game" },
      ]}
    />
  );
}

interface TopEquipmentProps {
  title: string;
  handle: string;
  tab: PlayerTab & ("weapons" | "vehicles");
  headings: { name: string; value: string };
  rows: readonly UsageRow[] | undefined;
  empty: string;
}

function TopEquipment({ title, handle, tab, headings, rows, empty }: TopEquipmentProps) {
  return (
    <section aria-labelledby={`top-${tab}`}>
      <div className={css.head}>
        <h2 id={`top-${tab}`}>{title}</h2>
        {rows && rows.length > TOP_ROWS && (
          <Link to={pathTo(handle, tab)} state={{ keepScroll: true }} aria-label={`View All ${tab}`}>
            View All
          </Link>
        )}
      </div>
      {!rows && <Skeleton height={120} />}
      {rows?.length === 0 && <p className="quiet">{empty}</p>}
      {rows && rows.length > 0 && (
        <UsageTable
          compact
          title={title}
          headings={headings}
          rows={rows.slice(0, TOP_ROWS)}
          metric={tab === "weapons" ? "pvp" : "vehicles"}
        />
      )}
    </section>
  );
}
