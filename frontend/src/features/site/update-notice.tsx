// Offers a reload after the server was upgraded. Checks periodically and when the page becomes visible.
import { useEffect, useState } from "react";
import { fetchServerVersion } from "../../api/health";
import { Button } from "../../ui/button";
import css from "./update-notice.module.css";

const FIRST_CHECK_MS = 5_000;
const CHECK_INTERVAL_MS = 300_000;
/** Becoming visible checks again, but not more often than this. */
const MIN_CHECK_INTERVAL_MS = 60_000;

export function UpdateNotice() {
  const [isOutdated, setOutdated] = useState(false);
  useEffect(() => {
    let first: string | null = null;
    let checkedAt = 0;
    const check = async () => {
      checkedAt = Date.now();
      const version = await fetchServerVersion();
      if (!version) return;
      first ??= version;
      if (version !== first) setOutdated(true);
    };
    const onVisible = () => {
      if (document.visibilityState === "visible" && Date.now() - checkedAt > MIN_CHECK_INTERVAL_MS) void check();
    };
    const firstTimer = setTimeout(check, FIRST_CHECK_MS);
    const interval = setInterval(check, CHECK_INTERVAL_MS);
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      clearTimeout(firstTimer);
      clearInterval(interval);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, []);
  return (
    <div role="status">
      {isOutdated && (
        <div className={css.note}>
          <span>A new version is available.</span>
          <Button variant="primary" size="small" onClick={() => window.location.reload()}>
            Reload
          </Button>
          <Button size="small" onClick={() => setOutdated(false)}>
            Later
          </Button>
        </div>
      )}
    </div>
  );
}
