import { Eye, Pencil, UserCheck } from "lucide-react";
import type { ReactNode } from "react";
import { imageSrc } from "../lib/images";
import { Button, ButtonLink } from "./button";
import { FormattedNumber } from "./formatted-number";
import { Image } from "./image";
import { Name } from "./name";
import css from "./profile-header.module.css";
import { usePreloadedImage } from "./use-preloaded-image";

const BANNER_TIMEOUT_MS = 3_000;

interface ProfileHeaderProps {
  name: string;
  banner: string | null | undefined;
  /** Shown if the banner is missing or does not load in time. */
  bannerFallback: string;
  picture: string | null | undefined;
  pictureFallback: string;
  /** Shown beside the name. */
  badge?: ReactNode;
  /** Shown below the name. */
  meta?: ReactNode;
  /** The rank, shown at the right of the banner. */
  rank?: ReactNode;
  actions?: ReactNode;
}

/** The header of a profile: banner, picture, name, statistics and actions. */
export function ProfileHeader(props: ProfileHeaderProps) {
  const banner = usePreloadedImage(imageSrc(props.banner), BANNER_TIMEOUT_MS);
  return (
    <header>
      <div className={css.banner}>
        {banner !== undefined && (
          <img
            key={banner ?? ""}
            src={banner ?? props.bannerFallback}
            alt=""
            width={1200}
            height={300}
            fetchPriority="high"
          />
        )}
      </div>
      <div className={css.row}>
        <Image
          src={props.picture}
          fallback={props.pictureFallback}
          alt=""
          width={128}
          height={128}
          className={css.picture}
          eager
        />
        <div className={css.name}>
          <div className={css.title}>
            <h1>
              <Name>{props.name}</Name>
            </h1>
            {props.badge}
          </div>
          <div className={css.meta}>{props.meta}</div>
        </div>
        <div className={css.rank}>{props.rank}</div>
        <div className={css.actions}>{props.actions}</div>
      </div>
    </header>
  );
}

/** A figure or text below the name. */
export function Fact({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <span className={css.fact} title={title}>
      {children}
    </span>
  );
}

export function ViewCount({ views }: { views: number }) {
  return (
    <Fact title="Profile views">
      <Eye size={16} strokeWidth={1.75} aria-hidden="true" />
      <FormattedNumber value={views} /> {views === 1 ? "view" : "views"}
    </Fact>
  );
}

export function RankLabel({ isRanked, children }: { isRanked: boolean; children: ReactNode }) {
  return <span className={isRanked ? css.ranked : css.unranked}>{children}</span>;
}

interface EditOrClaimProps {
  canEdit: boolean;
  isClaimed: boolean;
  claimText: string;
  claimTo: string;
  onEdit: () => void;
}

/** The edit button for those who may edit, or a link that claims a profile without owner. */
export function EditOrClaim({ canEdit, isClaimed, claimText, claimTo, onEdit }: EditOrClaimProps) {
  if (canEdit) {
    return (
      <Button variant="primary" onClick={onEdit}>
        <Pencil size={16} aria-hidden="true" /> Edit
      </Button>
    );
  }
  if (isClaimed) return null;
  return (
    <ButtonLink to={claimTo} variant="primary">
      <UserCheck size={16} aria-hidden="true" /> {claimText}
    </ButtonLink>
  );
}
