import { useEffect } from "react";

/** The site's name, from the title of the page that the server sent. */
const SITE = document.title.split(" - ").at(-1) || "Apogee";

/** Sets the document's title: `Player rating - Apogee`, or only the site's name. */
export function useTitle(title: string | null, site = SITE): void {
  useEffect(() => {
    document.title = title ? `${title} - ${site}` : site;
  }, [title, site]);
}
