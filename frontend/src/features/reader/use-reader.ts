// The log reader behind its own page: one query for all there is, kept fresh by the reader's stream.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type LiveEvent, subscribe } from "../../api/live";
import { type ReaderPage, type ReaderRow, type ReaderState, readerPageQuery } from "../../api/reader";

const ROWS_MAX = 300;
const KEY = readerPageQuery().queryKey;

/** Everything the reader shows, and it stays so while the caller is on screen. */
export function useReader() {
  const cache = useQueryClient();
  useEffect(() => subscribe(["reader"], (events) => take(cache, events)), [cache]);
  return useQuery(readerPageQuery());
}

function take(cache: QueryClient, events: readonly LiveEvent[]): void {
  // What came while nobody listened is asked for.
  if (events.some(({ name }) => name === "reset" || name === "opened")) {
    void cache.invalidateQueries({ queryKey: KEY });
  }
  const rows = events.filter(({ name }) => name === "row").map(({ data }) => data as ReaderRow);
  const state = events.findLast(({ name }) => name === "reader")?.data as ReaderState | undefined;
  if (rows.length > 0 || state) cache.setQueryData(KEY, (known) => known && merged(known, rows, state));
}

/** The new rows before the old ones, each once; another language needs other words, which only the reader has. */
function merged(known: ReaderPage, fresh: readonly ReaderRow[], state: ReaderState | undefined): ReaderPage {
  const ids = new Set(known.rows.map(({ id }) => id));
  const added = fresh.filter(({ id }) => !ids.has(id)).reverse();
  return { ...known, state: state ?? known.state, rows: [...added, ...known.rows].slice(0, ROWS_MAX) };
}

/** Writes what an act of the user answered. */
export function showState(cache: QueryClient, state: ReaderState): void {
  const known = cache.getQueryData<ReaderPage>(KEY);
  if (!known || known.state.language !== state.language) void cache.invalidateQueries({ queryKey: KEY });
  if (known) cache.setQueryData(KEY, { ...known, state });
}
