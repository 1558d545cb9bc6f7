// Whether this bundle was served by a reader or by a site; apart from `reader.ts`, which a site's first load does without.

/** This bundle was served by a reader and not by a site. */
export const isReaderPage = () => document.querySelector('meta[name="apogee-reader"]') !== null;
