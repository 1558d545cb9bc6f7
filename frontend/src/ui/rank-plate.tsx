import { clsx } from "clsx";
import { exact } from "../lib/numbers";
import css from "./rank-plate.module.css";

interface RankPlateProps {
  rank: number | null | undefined;
  /** Places won just now; shows for a while. */
  moved?: number;
  /** Places won since the UTC day began; stays. */
  today?: number | null;
}

/** A rank. 1 to 3 get a plate with the cut corner, 1 a larger one; none is a dash. */
export function RankPlate({ rank, moved = 0, today }: RankPlateProps) {
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
      {!!today && moved === 0 && (
        <span className={clsx(css.today, today > 0 && css.up)} title={`${places(today)} since yesterday`}>
          <span aria-hidden="true">{today > 0 ? `▲${exact(today)}` : `▼${exact(-today)}`}</span>
          <span className="visually-hidden">, {places(today)} since yesterday</span>
        </span>
      )}
      {moved !== 0 && (
        <span key={`${rank}:${moved}`} className={css.moved}>
          <span aria-hidden="true">{moved > 0 ? `▲${moved}` : `▼${-moved}`}</span>
          <span className="visually-hidden">{moved > 0 ? `up ${moved}` : `down ${-moved}`}</span>
        </span>
      )}
    </span>
  );
}

function places(moved: number): string {
  const count = Math.abs(moved);
  return `${exact(count)} ${count === 1 ? "place" : "places"} ${moved > 0 ? "up" : "down"}`;
}
