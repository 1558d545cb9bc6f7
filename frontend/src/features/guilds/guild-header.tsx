import { MessagesSquare } from "lucide-react";
import type { ReactNode } from "react";
import type { GuildSettings, GuildView } from "../../api/types";
import { DEFAULT_GUILD_IMAGE, guildBanner } from "../../lib/images";
import { unescapeEntities } from "../../lib/text";
import { ExternalLink } from "../../ui/button";
import { ShareButton } from "../../ui/copy-button";
import { FormattedNumber } from "../../ui/formatted-number";
import { Name } from "../../ui/name";
import { EditOrClaim, Fact, ProfileHeader, RankLabel } from "../../ui/profile-header";
import css from "./guild-header.module.css";

interface GuildHeaderProps {
  guild: GuildView;
  views: ReactNode;
  settings: GuildSettings | undefined;
  rank: string | null;
  canEdit: boolean;
  /** The target of *Claim guild*. */
  claimTo: string;
  onEdit: () => void;
}

/** The header of a guild's page: name, rank and actions. */
export function GuildHeader({ guild, views, settings, rank, canEdit, claimTo, onEdit }: GuildHeaderProps) {
  const name = unescapeEntities(guild.name);
  return (
    <ProfileHeader
      name={name}
      banner={settings?.banner_image}
      bannerFallback={guildBanner(guild.short)}
      picture={settings?.guild_image}
      pictureFallback={DEFAULT_GUILD_IMAGE}
      badge={<Name className={css.tag}>{guild.short}</Name>}
      meta={
        <>
          <Fact>
            <FormattedNumber value={guild.member_count} /> members
          </Fact>
          {views}
          {guild.patch && <span>{guild.patch}</span>}
        </>
      }
      rank={<RankLabel isRanked={!!rank?.startsWith("TOP")}>{rank ?? "Loading..."}</RankLabel>}
      actions={
        <>
          {settings?.discord_link && (
            <ExternalLink variant="quiet" href={settings.discord_link}>
              <MessagesSquare size={16} aria-hidden="true" /> Discord Server
            </ExternalLink>
          )}
          <ShareButton />
          <EditOrClaim
            canEdit={canEdit}
            isClaimed={guild.is_claimed}
            claimText="Claim guild"
            claimTo={claimTo}
            onEdit={onEdit}
          />
        </>
      }
    />
  );
}
