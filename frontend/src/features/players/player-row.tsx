import { clsx } from "clsx";
import { Link } from "react-router";
import type { Metric, PlayerRow as Row } from "../../api/types";
import { DEFAULT_PLAYER_IMAGE } from "../../lib/images";
import { guild, player } from "../../lib/paths";
import { guildTag, unescapeEntities } from "../../lib/text";
import { lastActive, moment } from "../../lib/times";
import { FormattedNumber } from "../../ui/formatted-number";
import { Image } from "../../ui/image";
import { hueStyle, type MetricName } from "../../ui/metric";
import { Name } from "../../ui/name";
import { RankBadge } from "../../ui/rank-badge";
import { Skeleton } from "../../ui/states";
import { useRankChange } from "../../ui/use-rank-change";
import css from "./player-row.module.css";
import { StickerList } from "./sticker-list";
import { useStickers } from "./stickers";

interface PlayerRowProps {
  row: Row;
  sortBy: Metric;
  metric: MetricName;
  /** Without stickers and last activity, for side columns and the home page. */
  compact?: boolean;
}

/** A leaderboard row. It links to the player, except for the guild badge and the stickers. */
export function PlayerRow({ row, sortBy, metric, compact = false }: PlayerRowProps) {
  const name = row.player_name || row.handle;
  const { info, idsFor } = useStickers();
  const tag = guildTag(row.org_short);
  return (
    <li className={clsx(css.row, compact && css.compact)} style={hueStyle(metric)}>
      <RankBadge rank={row.rank} recentChange={useRankChange(row.rank)} changeToday={compact ? null : row.movement} />
      <Image
        src={row.profile_image}
        fallback={DEFAULT_PLAYER_IMAGE}
        alt=""
        width={compact ? 32 : 40}
        height={compact ? 32 : 40}
      />
      <span className={css.name}>
        <Link to={player(row.handle)} className={css.link}>
          <Name>{name}</Name>
        </Link>
        {tag && (
          <Link to={guild(tag)} className={css.badge} title={unescapeEntities(row.org_name ?? tag)} translate="no">
            {tag}
          </Link>
        )}
      </span>
      {!compact && (
        <>
          <span className={css.stickers}>
            <StickerList ids={idsFor(row)} info={info} />
          </span>
          <span className={css.lastActive} data-exact={row.last_active ? moment(row.last_active) : undefined}>
            <span className={css.lastActiveLabel}>Last Active </span>
            {lastActive(row.last_active)}
          </span>
        </>
      )}
      <FormattedNumber value={row[sortBy]} seconds={sortBy === "playtime"} className={css.score} />
    </li>
  );
}

/** Column headings. Phones show none. */
export function PlayerTableHeader({ label }: { label: string }) {
  return (
    <div className={clsx(css.row, css.header, "label")} aria-hidden="true">
      <span>Rank</span>
      <span />
      <span>Player</span>
      <span className={css.stickers}>Stickers</span>
      <span className={css.lastActive}>Last Active</span>
      <span className={css.score}>{label}</span>
    </div>
  );
}

/** A placeholder of the same size. */
export function PlayerRowSkeleton({ compact = false }: { compact?: boolean }) {
  const size = compact ? 32 : 40;
  return (
    <li className={clsx(css.row, compact && css.compact)} aria-hidden="true">
      <Skeleton width={36} height={20} />
      <Skeleton width={size} height={size} />
      <Skeleton width="60%" />
      {!compact && (
        <>
          <span className={css.stickers} />
          <span className={css.lastActive}>
            <Skeleton width={64} />
          </span>
        </>
      )}
      <span className={css.score}>
        <Skeleton width={56} height={20} />
      </span>
    </li>
  );
}
