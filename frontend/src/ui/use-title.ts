import { useEffect } from "react";

const SITE = "Apogee";

/** Names the document: `Player rating · Apogee`; without a title the site's name alone. */
export function useTitle(title: string | null, site = SITE): void {
  useEffect(() => {
    document.title = title ? `${title} · ${site}` : site;
  }, [title, site]);
}
