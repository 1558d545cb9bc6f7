import { clsx } from "clsx";
import { exact } from "../lib/numbers";
import css from "./rank-badge.module.css";

interface RankBadgeProps {
  rank: number | null | undefined;
  /** Ranks gained by the latest change, shown for a short time. */
  recentChange?: number;
  /** Ranks gained since the UTC day began. */
  changeToday?: number | null;
}

/** A rank. Ranks 1 to 3 have a plate with the cut corner, rank 1 a larger one. No rank is a dash. */
export function RankBadge({ rank, recentChange = 0, changeToday }: RankBadgeProps) {
  if (!rank) {
    return (
      <span className={css.badge} title="Unranked">
        <span aria-hidden="true">–</span>
        <span className="visually-hidden">Unranked</span>
      </span>
    );
  }
  return (
    <span className={clsx("number", css.badge, rank <= 3 && css.podium, rank === 1 && css.first)}>
      #{exact(rank)}
      {!!changeToday && recentChange === 0 && (
        <span className={clsx(css.today, changeToday > 0 && css.up)} title={`${places(changeToday)} since yesterday`}>
          <span aria-hidden="true">{changeToday > 0 ? `▲${exact(changeToday)}` : `▼${exact(-changeToday)}`}</span>
          <span className="visually-hidden">, {places(changeToday)} since yesterday</span>
        </span>
      )}
      {recentChange !== 0 && (
        <span key={`${rank}:${recentChange}`} className={css.recent}>
          <span aria-hidden="true">{recentChange > 0 ? `▲${recentChange}` : `▼${-recentChange}`}</span>
          <span className="visually-hidden">{recentChange > 0 ? `up ${recentChange}` : `down ${-recentChange}`}</span>
        </span>
      )}
    </span>
  );
}

function places(moved: number): string {
  const count = Math.abs(moved);
  return `${exact(count)} ${count === 1 ? "place" : "places"} ${moved > 0 ? "up" : "down"}`;
}
