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
  if (events.some(({ name }) => name === "reset" || name === "opened" || name === "joined")) {
    void cache.invalidateQueries({ queryKey: KEY });
  }
  const rows = events.filter(({ name }) => name === "row").map(({ data }) => data as ReaderRow);
  const state = events.findLast(({ name }) => name === "reader")?.data as ReaderState | undefined;
  if (rows.length > 0) cache.setQueryData(KEY, (known) => known && withRows(known, rows));
  if (state) showState(cache, state);
}

/** The new rows before the old ones, each once. */
function withRows(known: ReaderPage, fresh: readonly ReaderRow[]): ReaderPage {
  const ids = new Set(known.rows.map(({ id }) => id));
  const added = fresh.filter(({ id }) => !ids.has(id)).reverse();
  return { ...known, rows: [...added, ...known.rows].slice(0, ROWS_MAX) };
}

/**
 * Writes how the reader stands, as its stream or its answer to an act told; whichever comes first. Another language needs
 * other words, which are asked for.
 */
export function showState(cache: QueryClient, state: ReaderState): void {
  const known = cache.getQueryData<ReaderPage>(KEY);
  if (known) cache.setQueryData(KEY, { ...known, state });
  if (!known || known.state.language !== state.language) void cache.invalidateQueries({ queryKey: KEY });
}
