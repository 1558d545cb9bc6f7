// Says that the server was upgraded under an open page. Asked now and then and when the page comes back into view;
// nothing is reloaded without a click.
import { useEffect, useState } from "react";
import { fetchServerVersion } from "../../api/health";
import { Button } from "../../ui/button";
import css from "./version-note.module.css";

const FIRST_MS = 5_000;
const EVERY_MS = 300_000;
/** Coming back into view asks again, but not more often than this. */
const AGAIN_MS = 60_000;

export function VersionNote() {
  const [outdated, setOutdated] = useState(false);
  useEffect(() => {
    let first: string | null = null;
    let askedAt = 0;
    const ask = async () => {
      askedAt = Date.now();
      const version = await fetchServerVersion();
      if (!version) return;
      first ??= version;
      if (version !== first) setOutdated(true);
    };
    const back = () => {
      if (document.visibilityState === "visible" && Date.now() - askedAt > AGAIN_MS) void ask();
    };
    const soon = setTimeout(ask, FIRST_MS);
    const timer = setInterval(ask, EVERY_MS);
    document.addEventListener("visibilitychange", back);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
      document.removeEventListener("visibilitychange", back);
    };
  }, []);
  return (
    <div role="status">
      {outdated && (
        <div className={css.note}>
          <span>A new version is here.</span>
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
