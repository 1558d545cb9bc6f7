import { CircleHelp, X } from "lucide-react";
import { useEffect, useState } from "react";
import { localStore } from "../../lib/browser-storage";
import { canReadLogs, guides, upload } from "../../lib/paths";
import { Button, ButtonLink } from "../../ui/button";
import css from "./notice.module.css";

const STORAGE_KEY = "statsNoticeShownAt";
const NOTICE_DELAY_MS = 500;
const NOTICE_INTERVAL_MS = 300_000;

/** Links the owner of an empty profile to the reading of logs and the guide, at most once in five minutes. */
export function StatsNotice() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const shownAt = Number(localStore.getItem(STORAGE_KEY) ?? 0);
    if (Date.now() - shownAt < NOTICE_INTERVAL_MS) return;
    const timer = setTimeout(() => {
      localStore.setItem(STORAGE_KEY, String(Date.now()));
      setOpen(true);
    }, NOTICE_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!open) return null;
  return (
    <aside className={css.notice} aria-label="Why I don't see my stats?">
      <CircleHelp size={20} aria-hidden="true" />
      <p>Why I don't see my stats?</p>
      {canReadLogs && (
        <ButtonLink to={upload} size="small">
          Read my log
        </ButtonLink>
      )}
      <ButtonLink to={guides} size="small">
        Guide
      </ButtonLink>
      <Button variant="icon" size="small" aria-label="Close" onClick={() => setOpen(false)}>
        <X size={16} aria-hidden="true" />
      </Button>
    </aside>
  );
}
