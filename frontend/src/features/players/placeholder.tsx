import { CircleHelp, EyeOff, X } from "lucide-react";
import { useEffect, useState } from "react";
import { guides, players } from "../../lib/paths";
import { Button, ButtonLink } from "../../ui/button";
import css from "./placeholder.module.css";
import type { Visibility } from "./visibility";

const TEXTS: Record<Exclude<Visibility, "shown">, [title: string, text: string]> = {
  hidden: ["Profile hidden", "This profile has been hidden from public view by owner."],
  unclaimed: ["Profile not claimed yet", "Player has not yet claimed their profile"],
  empty: ["No statistics yet", "Nothing has been recorded of this player so far."],
};

interface PlaceholderProps {
  handle: string;
  why: Exclude<Visibility, "shown">;
  onEdit?: () => void;
  /** Where an unclaimed profile can be claimed. */
  claimTo?: string;
}

/** What stands in place of a profile that is not shown. */
export function Placeholder({ handle, why, onEdit, claimTo }: PlaceholderProps) {
  const [title, text] = TEXTS[why];
  return (
    <section className={css.placeholder} aria-labelledby="placeholder">
      <EyeOff size={32} strokeWidth={1.5} aria-hidden="true" />
      <p className={css.handle}>
        <bdi>{handle}</bdi>
      </p>
      <h1 id="placeholder">{title}</h1>
      <p className="quiet">{text}</p>
      <div className={css.actions}>
        <ButtonLink to={players}>Back to Players</ButtonLink>
        {onEdit && (
          <Button look="primary" onClick={onEdit}>
            Edit Profile Settings
          </Button>
        )}
        {!onEdit && claimTo && why === "unclaimed" && (
          <ButtonLink to={claimTo} look="primary">
            Claim profile
          </ButtonLink>
        )}
      </div>
    </section>
  );
}

/** Tells an owner or an admin that others do not see this. */
export function HiddenBanner({ admin }: { admin: boolean }) {
  return (
    <p className={css.banner} role="note">
      <EyeOff size={16} aria-hidden="true" />
      <strong>{admin ? "ADMIN VIEW" : "OWNER VIEW"}</strong> This profile is hidden from public view
    </p>
  );
}

const NOTICE_KEY = "statsNoticeShownAt";
const NOTICE_AFTER_MS = 500;
const NOTICE_EVERY_MS = 300_000;

/** For an owner whose page has no activity: where to read why. At most once in five minutes. */
export function StatsNotice() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const shownAt = Number(localStorage.getItem(NOTICE_KEY) ?? 0);
    if (Date.now() - shownAt < NOTICE_EVERY_MS) return;
    const timer = setTimeout(() => {
      localStorage.setItem(NOTICE_KEY, String(Date.now()));
      setOpen(true);
    }, NOTICE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!open) return null;
  return (
    <aside className={css.notice} aria-label="Why I don't see my stats?">
      <CircleHelp size={20} aria-hidden="true" />
      <p>Why I don't see my stats?</p>
      <ButtonLink to={guides} size="small">
        Guide
      </ButtonLink>
      <Button look="icon" size="small" aria-label="Close" onClick={() => setOpen(false)}>
        <X size={16} aria-hidden="true" />
      </Button>
    </aside>
  );
}
