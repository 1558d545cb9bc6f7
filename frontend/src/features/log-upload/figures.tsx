// What was found in the logs, before anything is sent.
import { useState } from "react";
import { counted, exact } from "../../lib/numbers";
import { date } from "../../lib/times";
import { BarPlot } from "../../ui/bar-plot";
import { Button } from "../../ui/button";
import { Name } from "../../ui/name";
import { StatStrip } from "../../ui/stat-strip";
import { byteSize, stateText } from "./labels";
import css from "./log-upload.module.css";
import { MonthPlot } from "./month-plot";
import type { LogReading, Reading } from "./reading";
import type { Selection } from "./selection";

const SHOWN_SHIPS = 8;
const SHOWN_LOGS = 5;

export function Figures({ selection: { totals, ships } }: { selection: Selection }) {
  return (
    <StatStrip
      label="Found in your logs"
      stats={[
        {
          metric: "playtime",
          label: "Universe time",
          value: totals.universeSeconds,
          seconds: true,
          note: `in ${counted(totals.sessions, "session")}`,
        },
        { metric: "missions", label: "Contracts", value: totals.contracts, note: "completed" },
        { metric: "ships", value: ships.length, note: "kinds of ships" },
        {
          metric: "overall",
          label: "Deaths",
          value: totals.deaths,
          note: totals.deaths === 0 ? "none in the logs" : "at least",
        },
        { metric: "pvp", label: "Player kills", value: totals.kills, note: "logged up to patch 4.3" },
        { metric: "pve", label: "NPC kills", value: totals.npcKills, note: "logged up to patch 4.3" },
      ]}
    />
  );
}

/** Charts of the time in the universe and of ships. */
export function Charts({ selection: { months, ships } }: { selection: Selection }) {
  const [isExpanded, setExpanded] = useState(false);
  const shown = isExpanded ? ships : ships.slice(0, SHOWN_SHIPS);
  return (
    <>
      {months.length > 1 && (
        <section aria-labelledby="months">
          <h2 id="months">Month by month</h2>
          <MonthPlot months={months} />
        </section>
      )}
      {ships.length > 0 && (
        <section aria-labelledby="ships" className={css.part}>
          <h2 id="ships">Ships by times entered</h2>
          <BarPlot
            title="Ships by times entered"
            unit="times entered"
            bars={shown.map(({ name, entered }) => ({ label: name, value: entered, hue: "var(--metric-ships)" }))}
          />
          {ships.length > SHOWN_SHIPS && !isExpanded && (
            <div>
              <Button onClick={() => setExpanded(true)}>Show all {exact(ships.length)}</Button>
            </div>
          )}
        </section>
      )}
    </>
  );
}

/** Where the figures come from, and the logs that could not be used. */
export function LogFacts({ reading, selection }: { reading: Reading; selection: Selection }) {
  const { logs } = reading;
  const unused = logs.filter((log) => stateText(log) !== null);
  const nameless = logs.reduce((sum, log) => sum + log.nameless, 0);
  const untimed = logs.reduce((sum, log) => sum + log.untimedLines, 0);
  const cut = logs.filter(({ state, error }) => state === "read" && error !== null).length;
  const other = selection.channels.filter((channel) => channel !== "LIVE");
  const rows: [string, string][] = [
    ["Time span", timeSpan(selection.handles) ?? "–"],
    ["Logs", `${exact(logs.length - unused.length)} of ${exact(logs.length)}, ${byteSize(reading.bytes)}`],
    ["Sessions", exact(selection.totals.sessions)],
    ["Patches", patchSpan(selection.patches)],
    ["Channels", selection.channels.join(", ") || "–"],
    ["Incapacitated", exact(selection.totals.downed)],
    ["Crashes of the game", exact(selection.totals.crashes)],
  ];
  if (nameless > 0) rows.push(["Events without a player", exact(nameless)]);
  if (cut > 0) rows.push(["Logs not read to their end", exact(cut)]);
  if (untimed > 0) rows.push(["Lines without a time", exact(untimed)]);
  return (
    <section aria-labelledby="facts" className={css.part}>
      <h2 id="facts">The logs</h2>
      <dl className={css.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt className="quiet">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {other.length > 0 && <p className="quiet">Only events of LIVE count on the site.</p>}
      {unused.length > 0 && <UnusedLogs logs={unused} />}
    </section>
  );
}

function UnusedLogs({ logs }: { logs: readonly LogReading[] }) {
  const [isExpanded, setExpanded] = useState(false);
  return (
    <section aria-labelledby="unused" className={css.part}>
      <h3 id="unused">{counted(logs.length, "log")} not used</h3>
      <ul role="list" className={css.logs}>
        {(isExpanded ? logs : logs.slice(0, SHOWN_LOGS)).map((log) => (
          <li key={log.path}>
            <Name className={css.path}>{log.path}</Name>
            <span className="quiet">{stateText(log)}</span>
          </li>
        ))}
      </ul>
      {logs.length > SHOWN_LOGS && !isExpanded && (
        <div>
          <Button size="small" onClick={() => setExpanded(true)}>
            Show all {exact(logs.length)}
          </Button>
        </div>
      )}
    </section>
  );
}

/** `Apr 7, 2024 to Nov 28, 2026`; null without a timestamp. */
export function timeSpan(parts: readonly { from: number | null; to: number | null }[]): string | null {
  const times = parts.flatMap(({ from, to }) => [from, to]).filter((at) => at !== null);
  if (times.length === 0) return null;
  const [first, last] = [date(Math.min(...times) / 1000), date(Math.max(...times) / 1000)];
  return first === last ? first : `${first} to ${last}`;
}

function patchSpan(patches: readonly string[]): string {
  const [first, last] = [patches[0], patches.at(-1)];
  if (!first || !last) return "–";
  return first === last ? first : `${first} to ${last} (${exact(patches.length)})`;
}
