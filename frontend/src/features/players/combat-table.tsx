import type { GameStats } from "../../api/types";
import { killDeath } from "../../lib/numbers";
import { FormattedNumber } from "../../ui/formatted-number";
import { hueStyle, MetricLabel, type MetricName } from "../../ui/metric";
import css from "./combat-table.module.css";
import { value, vehicles } from "./visibility";

type Mode = "pu" | "ac";
interface Line {
  word: string;
  metric?: MetricName;
  of: (stats: GameStats, mode: Mode) => number;
}

const counter = (name: string) => (stats: GameStats, mode: Mode) => value(stats, `${mode}_${name}`);

const LINES: readonly Line[] = [
  { word: "Player kills", metric: "pvp", of: counter("player_kills") },
  { word: "Player deaths", of: counter("player_deaths") },
  { word: "NPC kills", metric: "pve", of: counter("npc_kills") },
  { word: "NPC deaths", of: counter("npc_deaths") },
  { word: "Vehicles destroyed", metric: "vehicles", of: (stats, mode) => vehicles(stats, mode, "caused") },
  { word: "Vehicles lost", of: (stats, mode) => vehicles(stats, mode, "received") },
  { word: "Soft deaths caused", metric: "vehicles", of: counter("vehicle_soft_death_caused") },
  { word: "Soft deaths received", of: counter("vehicle_soft_death_received") },
];

/** All counters, for the persistent universe, the arena and both, with kills per death after each pair. */
export default function CombatTable({ stats }: { stats: GameStats }) {
  return (
    <table className={css.table}>
      <caption className="visually-hidden">Combat figures by game mode</caption>
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
        {LINES.flatMap((line) => {
          const pu = line.of(stats, "pu");
          const ac = line.of(stats, "ac");
          const row = (
            <tr key={line.word} style={line.metric && hueStyle(line.metric)} data-metric={!!line.metric || undefined}>
              <th scope="row">{line.metric ? <MetricLabel metric={line.metric} label={line.word} /> : line.word}</th>
              {[pu, ac, pu + ac].map((figure, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: three fixed columns
                <td key={at} data-zero={figure === 0 || undefined}>
                  <FormattedNumber value={figure} />
                </td>
              ))}
            </tr>
          );
          if (line.word === "Player deaths")
            return [row, <Ratio key="human" word="Human K/D" stats={stats} who="player" />];
          if (line.word === "NPC deaths") return [row, <Ratio key="npc" word="NPC K/D" stats={stats} who="npc" />];
          return [row];
        })}
      </tbody>
    </table>
  );
}

function Ratio({ word, stats, who }: { word: string; stats: GameStats; who: "player" | "npc" }) {
  const kills = (mode: Mode) => value(stats, `${mode}_${who}_kills`);
  const deaths = (mode: Mode) => value(stats, `${mode}_${who}_deaths`);
  return (
    <tr className={css.ratio}>
      <th scope="row">{word}</th>
      <td className="number">{killDeath(kills("pu"), deaths("pu"))}</td>
      <td className="number">{killDeath(kills("ac"), deaths("ac"))}</td>
      <td className="number">{killDeath(kills("pu") + kills("ac"), deaths("pu") + deaths("ac"))}</td>
    </tr>
  );
}
