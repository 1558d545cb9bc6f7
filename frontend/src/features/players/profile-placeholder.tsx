import { EyeOff } from "lucide-react";
import { players } from "../../lib/paths";
import { Button, ButtonLink } from "../../ui/button";
import { Name } from "../../ui/name";
import css from "./profile-placeholder.module.css";
import type { Visibility } from "./visibility";

const TEXTS: Record<Exclude<Visibility, "shown">, [title: string, text: string]> = {
  hidden: ["Profile hidden", "This profile has been hidden from public view by owner."],
  unclaimed: ["Profile not claimed yet", "Player has not yet claimed their profile"],
  empty: ["No statistics yet", "No events of this player have been recorded yet."],
};

interface ProfilePlaceholderProps {
  handle: string;
  reason: Exclude<Visibility, "shown">;
  onEdit?: () => void;
  /** The target of *Claim profile*. */
  claimTo?: string;
}

/** Replaces a profile that is hidden, unclaimed or empty. */
export default function ProfilePlaceholder({ handle, reason, onEdit, claimTo }: ProfilePlaceholderProps) {
  const [title, text] = TEXTS[reason];
  return (
    <section className={css.placeholder} aria-labelledby="placeholder">
      <EyeOff size={32} strokeWidth={1.5} aria-hidden="true" />
      <p className={css.handle}>
        <Name>{handle}</Name>
      </p>
      <h1 id="placeholder">{title}</h1>
      <p className="quiet">{text}</p>
      <div className={css.actions}>
        <ButtonLink to={players}>Back to Players</ButtonLink>
        {onEdit && (
          <Button variant="primary" onClick={onEdit}>
            Edit Profile Settings
          </Button>
        )}
        {!onEdit && claimTo && reason === "unclaimed" && (
          <ButtonLink to={claimTo} variant="primary">
            Claim profile
          </ButtonLink>
        )}
      </div>
    </section>
  );
}
