import { Eye, MessagesSquare, Pencil, UserCheck } from "lucide-react";
import type { GuildSettings, GuildView } from "../../api/types";
import { DEFAULT_GUILD_IMAGE, guildBanner } from "../../lib/images";
import { parseCount } from "../../lib/numbers";
import { unescapeEntities } from "../../lib/text";
import { Button, ButtonLink, ExternalLink } from "../../ui/button";
import { ShareButton } from "../../ui/copy-button";
import { FormattedNumber } from "../../ui/formatted-number";
import { ProfileHeader } from "../../ui/profile-header";
import css from "./guild-header.module.css";

interface GuildHeaderProps {
  guild: GuildView;
  /** The count after this view; without it, the guild's own figure is shown. */
  views?: number;
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
      badge={<span className={css.tag}>{guild.short}</span>}
      meta={
        <>
          <span className={css.fact}>
            <FormattedNumber value={guild.member_count} className={css.number} /> members
          </span>
          {(views ?? guild.profile_views) !== undefined && (
            <span className={css.fact}>
              <Eye size={16} strokeWidth={1.75} aria-hidden="true" />
              <FormattedNumber value={views ?? parseCount(guild.profile_views)} className={css.number} /> views
            </span>
          )}
          {guild.patch && <span>{guild.patch}</span>}
        </>
      }
      rank={<span className={rank?.startsWith("TOP") ? css.rank : css.plain}>{rank ?? "Loading..."}</span>}
      actions={
        <>
          {settings?.discord_link && (
            <ExternalLink variant="quiet" href={settings.discord_link}>
              <MessagesSquare size={16} aria-hidden="true" /> Discord Server
            </ExternalLink>
          )}
          <ShareButton />
          {canEdit ? (
            <Button variant="primary" onClick={onEdit}>
              <Pencil size={16} aria-hidden="true" /> Edit
            </Button>
          ) : (
            !guild.is_claimed && (
              <ButtonLink to={claimTo} variant="primary">
                <UserCheck size={16} aria-hidden="true" /> Claim guild
              </ButtonLink>
            )
          )}
        </>
      }
    />
  );
}
