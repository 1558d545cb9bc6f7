import { clsx } from "clsx";
import { Link } from "react-router";
import type { BoardWindow } from "../../api/list-params";
import type { Metric, PlayerRow as Row } from "../../api/types";
import { DEFAULT_PLAYER_IMAGE } from "../../lib/images";
import { guild, playerRowPath, receipt } from "../../lib/paths";
import { guildTag, unescapeEntities } from "../../lib/text";
import { lastActive, moment } from "../../lib/times";
import { ConfirmedShare } from "../../ui/confirmed-share";
import { FormattedNumber } from "../../ui/formatted-number";
import { Image } from "../../ui/image";
import { hueStyle, type MetricName } from "../../ui/metric";
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
  window?: BoardWindow;
  /** Without stickers and last activity, for side columns and the home page. */
  compact?: boolean;
}

/** A leaderboard row. It links to the player, except for rank and score, the guild badge and the stickers. */
export function PlayerRow({ row, sortBy, metric, window, compact = false }: PlayerRowProps) {
  const toReceipt = receipt(row.handle, sortBy, window);
  const name = row.player_name || row.handle;
  const { info, idsFor } = useStickers();
  const tag = guildTag(row.org_short);
  return (
    <li className={clsx(css.row, compact && css.compact)} style={hueStyle(metric)}>
      {/* The link of the score is the one for the keyboard. */}
      <Link to={toReceipt} className={css.toReceipt} tabIndex={-1}>
        <RankBadge rank={row.rank} recentChange={useRankChange(row.rank)} changeToday={compact ? null : row.movement} />
      </Link>
      <Image
        src={row.profile_image}
        fallback={DEFAULT_PLAYER_IMAGE}
        alt=""
        width={compact ? 32 : 40}
        height={compact ? 32 : 40}
      />
      <span className={css.name}>
        <Link to={playerRowPath(row)} className={css.link}>
          <bdi>{name}</bdi>
        </Link>
        {tag && (
          <Link to={guild(tag)} className={css.badge} title={unescapeEntities(row.org_name ?? tag)}>
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
      <Link to={toReceipt} className={clsx(css.toReceipt, css.score)}>
        <span className="visually-hidden">Receipt: </span>
        <FormattedNumber value={row[sortBy]} seconds={sortBy === "playtime"} />
        {!compact && <ConfirmedShare share={row.confirmed_share} />}
      </Link>
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
