import css from "./confirmed-share.module.css";

/** How much of a score is confirmed; nothing if no part is. */
export function ConfirmedShare({ share }: { share: number | null | undefined }) {
  if (!share) return null;
  // A part is never shown as nothing, nor as the whole.
  const percent = share === 1 ? 100 : Math.min(99, Math.max(1, Math.round(share * 100)));
  return <span className={css.share}>{percent}% confirmed</span>;
}
