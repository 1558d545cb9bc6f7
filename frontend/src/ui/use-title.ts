import { useEffect } from "react";

/** The name of the site, as the server wrote it at the end of the first page's title. */
const SITE = document.title.split(" - ").at(-1) || "Apogee";

/** Names the document: `Player rating - Apogee`, as the server does; without a title the site's name alone. */
export function useTitle(title: string | null, site = SITE): void {
  useEffect(() => {
    document.title = title ? `${title} - ${site}` : site;
  }, [title, site]);
}
