import type { GameStats } from "../../api/types";
import { killDeath } from "../../lib/numbers";
import { FormattedNumber } from "../../ui/formatted-number";
import { hueStyle, MetricLabel, type MetricName } from "../../ui/metric";
import css from "./combat-table.module.css";
import { counterValue, destroyedVehicles } from "./visibility";

type Mode = "pu" | "ac";
interface Row {
  label: string;
  metric?: MetricName;
  count: (stats: GameStats, mode: Mode) => number;
}

const counter = (name: string) => (stats: GameStats, mode: Mode) => counterValue(stats, `${mode}_${name}`);

const ROWS: readonly Row[] = [
  { label: "Player kills", metric: "pvp", count: counter("player_kills") },
  { label: "Player deaths", count: counter("player_deaths") },
  { label: "NPC kills", metric: "pve", count: counter("npc_kills") },
  { label: "NPC deaths", count: counter("npc_deaths") },
  { label: "Vehicles destroyed", metric: "vehicles", count: (stats, mode) => destroyedVehicles(stats, mode, "caused") },
  { label: "Vehicles lost", count: (stats, mode) => destroyedVehicles(stats, mode, "received") },
  { label: "Soft deaths caused", metric: "vehicles", count: counter("vehicle_soft_death_caused") },
  { label: "Soft deaths received", count: counter("vehicle_soft_death_received") },
];

/** Combat statistics of the persistent universe, Arena Commander and both, with kill/death ratios. */
export default function CombatTable({ stats }: { stats: GameStats }) {
  return (
    <table className={css.table}>
      <caption className="visually-hidden">Combat statistics by game mode</caption>
      <thead className="label">
        <tr>
          <th scope="col">Combat</th>
          <th scope="col">
            <abbr title="Persistent universe">PU</abbr>
          </th>
          <th scope="col">
            <abbr title="Arena commander">AC</abbr>
          </th>
          <th scope="col">Both</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.flatMap((line) => {
          const pu = line.count(stats, "pu");
          const ac = line.count(stats, "ac");
          const row = (
            <tr key={line.label} style={line.metric && hueStyle(line.metric)} data-metric={!!line.metric || undefined}>
              <th scope="row">{line.metric ? <MetricLabel metric={line.metric} label={line.label} /> : line.label}</th>
              {[pu, ac, pu + ac].map((figure, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: there are three fixed columns
                <td key={index} data-zero={figure === 0 || undefined}>
                  <FormattedNumber value={figure} />
                </td>
              ))}
            </tr>
          );
          if (line.label === "Player deaths")
            return [row, <Ratio key="human" label="Human K/D" stats={stats} opponent="player" />];
          if (line.label === "NPC deaths")
            return [row, <Ratio key="npc" label="NPC K/D" stats={stats} opponent="npc" />];
          return [row];
        })}
      </tbody>
    </table>
  );
}

function Ratio({ label, stats, opponent }: { label: string; stats: GameStats; opponent: "player" | "npc" }) {
  const kills = (mode: Mode) => counterValue(stats, `${mode}_${opponent}_kills`);
  const deaths = (mode: Mode) => counterValue(stats, `${mode}_${opponent}_deaths`);
  return (
    <tr className={css.ratio}>
      <th scope="row">{label}</th>
      <td className="number">{killDeath(kills("pu"), deaths("pu"))}</td>
      <td className="number">{killDeath(kills("ac"), deaths("ac"))}</td>
      <td className="number">{killDeath(kills("pu") + kills("ac"), deaths("pu") + deaths("ac"))}</td>
    </tr>
  );
}
