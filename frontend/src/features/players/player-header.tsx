import type { ReactNode } from "react";
import { Link } from "react-router";
import type { PlayerView } from "../../api/types";
import { DEFAULT_PLAYER_IMAGE, playerBanner } from "../../lib/images";
import { exact, parseRank } from "../../lib/numbers";
import { guild } from "../../lib/paths";
import { guildTag, unescapeEntities } from "../../lib/text";
import { ShareButton } from "../../ui/copy-button";
import { EditOrClaim, Fact, ProfileHeader, RankLabel } from "../../ui/profile-header";
import css from "./player-header.module.css";
import { StickerList } from "./sticker-list";
import { STICKER_SLOTS, useStickers } from "./stickers";
import { UpdateButton } from "./update-button";

interface PlayerHeaderProps {
  player: PlayerView;
  views: ReactNode;
  canEdit: boolean;
  /** The target of *Claim profile*. */
  claimTo: string;
  onUpdated: () => void;
  onEdit: () => void;
  onStickers: () => void;
}

/** The header of a player's page: name, rank, stickers and actions. */
export function PlayerHeader({ player, views, canEdit, claimTo, onUpdated, onEdit, onStickers }: PlayerHeaderProps) {
  const { opens_on_career: isCareer } = player;
  const rank = isCareer ? player.rank_career : bestRank(player);
  return (
    <ProfileHeader
      name={player.handle}
      banner={player.bannerImage}
      bannerFallback={playerBanner(player.handle)}
      picture={player.profileImage}
      pictureFallback={DEFAULT_PLAYER_IMAGE}
      badge={<OrgBadge tag={player.org_short} name={player.org_name} />}
      meta={
        <>
          {views}
          {player.patch && <Fact>{player.patch}</Fact>}
          <Stickers player={player} canEdit={canEdit} onStickers={onStickers} />
        </>
      }
      rank={
        <>
          {!isCareer && player.percentile_overall !== null && rank !== null && (
            <span className={css.percentile}>Top {percentile(player.percentile_overall)}%</span>
          )}
          <RankLabel isRanked={rank !== null}>
            {rank === null ? "Unranked" : `${isCareer ? "Career Rank" : "Rank"} ${exact(rank)}`}
          </RankLabel>
        </>
      }
      actions={
        <>
          {canEdit && <UpdateButton handle={player.handle} onUpdated={onUpdated} />}
          <ShareButton />
          <EditOrClaim
            canEdit={canEdit}
            isClaimed={player.is_claimed}
            claimText="Claim profile"
            claimTo={claimTo}
            onEdit={onEdit}
          />
        </>
      }
    />
  );
}

/** The player's guild, as a link. */
export function OrgBadge({ tag, name }: { tag: string | null | undefined; name?: string | null }): ReactNode {
  if (tag === undefined) return <span className={css.noOrg}>Loading...</span>;
  if (!tag || guildTag(tag) === null) return <span className={css.noOrg}>No Organization</span>;
  if (tag === "API_UNAVAILABLE") return <span className={css.noOrg}>{tag}</span>;
  return (
    <Link to={guild(tag)} className={css.org} title={name ? unescapeEntities(name) : undefined} translate="no">
      {tag}
    </Link>
  );
}

function Stickers({ player, canEdit, onStickers }: Pick<PlayerHeaderProps, "player" | "canEdit" | "onStickers">) {
  const { info, idsFor } = useStickers();
  const ids = idsFor({
    stickers: player.stickers,
    pu_player_kills: player.game_stats.pu_player_kills,
    vehicle_destructions: player.vehicle_destructions,
  });
  if (!canEdit) return <StickerList ids={ids} info={info} size={32} />;
  const slots = Array.from({ length: STICKER_SLOTS }, (_, index) => ids[index]);
  return (
    <span className={css.slots}>
      {slots.map((id, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: slots are identified by their position
          key={index}
          type="button"
          className={css.slot}
          title={id ? info(id).name : "Empty sticker slot"}
          aria-label={`Sticker slot ${index + 1}: ${id ? info(id).name : "empty"}. Edit stickers`}
          onClick={onStickers}
        >
          {id && <img src={info(id).image} alt="" width={32} height={32} />}
        </button>
      ))}
    </span>
  );
}

/** Returns the best rank. Ranks may be numbers or text. */
export function bestRank(player: PlayerView): number | null {
  const { rank, rank_overall, rank_pvp, rank_pve, rank_vehicle } = player;
  const known = [rank, rank_overall, rank_pvp, rank_pve, rank_vehicle].map(parseRank).filter((one) => one !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Percentile 97.3 is the top 2.7 %; the minimum is 0.1 %. */
function percentile(value: number): string {
  return Math.max(0.1, 100 - value).toFixed(1);
}
