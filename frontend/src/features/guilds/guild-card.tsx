import { Link } from "react-router";
import type { GuildRow } from "../../api/types";
import { DEFAULT_GUILD_IMAGE, guildBanner } from "../../lib/images";
import { guild } from "../../lib/paths";
import { unescapeEntities } from "../../lib/text";
import { FormattedNumber } from "../../ui/formatted-number";
import { Image } from "../../ui/image";
import { Name } from "../../ui/name";
import { RankBadge } from "../../ui/rank-badge";
import { useRankChange } from "../../ui/use-rank-change";
import css from "./guild-card.module.css";

/** A card of a top guild. The whole card links to the guild. */
export function GuildCard({ row, score }: { row: GuildRow; score: number }) {
  return (
    <li className={css.card}>
      <Image
        src={row.banner_image}
        fallback={guildBanner(row.org_short)}
        alt=""
        width={320}
        height={80}
        className={css.banner}
      />
      <Link to={guild(row.org_short)} className={css.inner}>
        <span className={css.top}>
          <RankBadge rank={row.rank} recentChange={useRankChange(row.rank)} />
          <FormattedNumber value={score} className={css.score} />
        </span>
        <span className={css.guild}>
          <Image src={row.guild_image} fallback={DEFAULT_GUILD_IMAGE} alt="" width={40} height={40} />
          <span className={css.names}>
            <Name className={css.tag}>{row.org_short}</Name>
            <Name className={css.name}>{unescapeEntities(row.org_name ?? row.org_short)}</Name>
          </span>
        </span>
      </Link>
    </li>
  );
}

export function GuildCardSkeleton() {
  return <li className={css.card} aria-hidden="true" />;
}
