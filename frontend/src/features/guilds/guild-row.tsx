import { clsx } from "clsx";
import { Link } from "react-router";
import type { GuildRow as Row } from "../../api/types";
import { DEFAULT_GUILD_IMAGE } from "../../lib/images";
import { exact } from "../../lib/numbers";
import { guild } from "../../lib/paths";
import { unescapeEntities } from "../../lib/text";
import { FormattedNumber } from "../../ui/formatted-number";
import { Image } from "../../ui/image";
import { hueStyle, type MetricName } from "../../ui/metric";
import { Name } from "../../ui/name";
import { RankBadge } from "../../ui/rank-badge";
import { Skeleton } from "../../ui/states";
import { useRankChange } from "../../ui/use-rank-change";
import css from "./guild-row.module.css";

interface GuildRowProps {
  row: Row;
  value: number;
  metric: MetricName;
  /** Without member counts, for side columns and the home page. */
  compact?: boolean;
}

/** A leaderboard row. The whole row links to the guild. */
export function GuildRow({ row, value, metric, compact = false }: GuildRowProps) {
  const size = compact ? 32 : 40;
  return (
    <li className={clsx(css.row, compact && css.compact)} style={hueStyle(metric)}>
      <RankBadge rank={row.rank} recentChange={useRankChange(row.rank)} changeToday={compact ? null : row.movement} />
      <Image src={row.guild_image} fallback={DEFAULT_GUILD_IMAGE} alt="" width={size} height={size} />
      <span className={css.name}>
        <Link to={guild(row.org_short)} className={css.link}>
          <Name className={css.tag}>{row.org_short}</Name>
          <Name className={css.full}>{unescapeEntities(row.org_name ?? row.org_short)}</Name>
        </Link>
      </span>
      {!compact && <Members row={row} />}
      <FormattedNumber value={value} seconds={metric === "playtime"} className={css.score} />
    </li>
  );
}

function Members({ row }: { row: Row }) {
  const total = row.total_member_count ?? row.member_count ?? row.active_member_count;
  const inactive = Math.max(0, total - row.active_member_count);
  return (
    <span className={css.members} data-exact={`${exact(row.active_member_count)} active of ${exact(total)}`}>
      <span className={css.membersLabel}>Members </span>
      <FormattedNumber value={row.active_member_count} />
      {inactive > 0 && (
        <span className="quiet">
          {" "}
          (<FormattedNumber value={inactive} /> inactive)
        </span>
      )}
    </span>
  );
}

/** Column headings. Phones show none. */
export function GuildTableHeader({ label }: { label: string }) {
  return (
    <div className={clsx(css.row, css.header, "label")} aria-hidden="true">
      <span>Rank</span>
      <span />
      <span>Guild</span>
      <span>Active members</span>
      <span className={css.score}>{label}</span>
    </div>
  );
}

/** A placeholder of the same size. */
export function GuildRowSkeleton({ compact = false }: { compact?: boolean }) {
  const size = compact ? 32 : 40;
  return (
    <li className={clsx(css.row, compact && css.compact)} aria-hidden="true">
      <Skeleton width={36} height={20} />
      <Skeleton width={size} height={size} />
      <Skeleton width="60%" />
      {!compact && (
        <span className={css.members}>
          <Skeleton width={96} />
        </span>
      )}
      <span className={css.score}>
        <Skeleton width={56} height={20} />
      </span>
    </li>
  );
}
