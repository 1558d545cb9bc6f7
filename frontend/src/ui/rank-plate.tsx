import { clsx } from "clsx";
import { exact } from "../lib/numbers";
import css from "./rank-plate.module.css";

/** A rank. 1 to 3 get a plate with the cut corner, 1 a larger one; none is a dash. `moved` (places won) shows for a while. */
export function RankPlate({ rank, moved = 0 }: { rank: number | null | undefined; moved?: number }) {
  if (!rank) {
    return (
      <span className={css.rank} title="Unranked">
        <span aria-hidden="true">–</span>
        <span className="visually-hidden">Unranked</span>
      </span>
    );
  }
  return (
    <span className={clsx("figure", css.rank, rank <= 3 && css.plate, rank === 1 && css.first)}>
      #{exact(rank)}
      {moved !== 0 && (
        <span key={`${rank}:${moved}`} className={css.moved}>
          <span aria-hidden="true">{moved > 0 ? `▲${moved}` : `▼${-moved}`}</span>
          <span className="visually-hidden">{moved > 0 ? `up ${moved}` : `down ${-moved}`}</span>
        </span>
      )}
    </span>
  );
}
