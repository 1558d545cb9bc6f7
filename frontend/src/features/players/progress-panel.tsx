import type { PlayerView } from "../../api/types";
import { exact, percent } from "../../lib/numbers";
import { FormattedNumber } from "../../ui/formatted-number";
import css from "./progress-panel.module.css";

/** Level and progress to the next one. */
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
          <FormattedNumber value={currentXP} /> / <FormattedNumber value={nextLevelXP} /> XP · {share}%
        </p>
      </div>
    </section>
  );
}
