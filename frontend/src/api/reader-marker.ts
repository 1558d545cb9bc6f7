// Detects whether a log reader or a site has served this bundle. Separate from `reader.ts`, which is not part of a site's first
// load.

/** True if a log reader has served this bundle. */
export const isReaderPage = () => document.querySelector('meta[name="apogee-reader"]') !== null;
