import { counted } from "../../lib/numbers";
import { date } from "../../lib/times";
import { Button } from "../../ui/button";
import { Name } from "../../ui/name";
import { StatStrip } from "../../ui/stat-strip";
import { byteSize } from "./labels";
import css from "./log-upload.module.css";
import type { ReadingProgress as Progress } from "./reading";

interface ReadingProgressProps {
  /** Null before the first report. */
  progress: Progress | null;
  onStop: () => void;
}

/** The progress of reading: bytes, the current log, and what was found so far. */
export function ReadingProgress({ progress, onStop }: ReadingProgressProps) {
  if (!progress) {
    return (
      <section aria-labelledby="reading" className={css.panel}>
        <h2 id="reading">Looking for logs…</h2>
        <progress className={css.progress} aria-labelledby="reading" />
        <Stop onStop={onStop} />
      </section>
    );
  }
  const { bytes, totalBytes, logs, totalLogs, path, modifiedAt, totals, handles } = progress;
  return (
    <section aria-labelledby="reading" className={css.panel}>
      <h2 id="reading">
        Reading {counted(totalLogs, "log")}, {byteSize(totalBytes)}
      </h2>
      <progress className={css.progress} max={Math.max(1, totalBytes)} value={bytes} aria-labelledby="reading" />
      <p className={css.row}>
        <Name className={css.path}>{path}</Name>
        <span className="quiet">
          {path && `${date(modifiedAt / 1000)}. `}
          {counted(logs, "log")} read, {byteSize(bytes)}
          {handles.length > 0 && `, ${counted(handles.length, "player")}`}
        </span>
      </p>
      <StatStrip
        label="Found so far"
        isRolling={false}
        stats={[
          { metric: "playtime", label: "Universe time", value: totals.universeSeconds, seconds: true },
          { metric: "missions", label: "Contracts", value: totals.contracts },
          { metric: "overall", label: "Deaths", value: totals.deaths },
          { metric: "pvp", label: "Player kills", value: totals.kills },
        ]}
      />
      <Stop onStop={onStop} />
    </section>
  );
}

function Stop({ onStop }: { onStop: () => void }) {
  return (
    <div className={css.row}>
      <Button onClick={onStop}>Stop</Button>
      <span className="quiet">What was read so far is kept.</span>
    </div>
  );
}
