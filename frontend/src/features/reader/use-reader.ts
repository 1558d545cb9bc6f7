// The state of the log reader: one query, updated by the reader's live stream.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type LiveEvent, subscribe } from "../../api/live";
import { type ReaderPage, type ReaderRow, type ReaderState, readerPageQuery } from "../../api/reader";

const MAX_ROWS = 300;
const KEY = readerPageQuery().queryKey;

/** The state of the reader, updated live while the caller is mounted. */
export function useReader() {
  const cache = useQueryClient();
  useEffect(() => subscribe(["reader"], (events) => applyEvents(cache, events)), [cache]);
  return useQuery(readerPageQuery());
}

function applyEvents(cache: QueryClient, events: readonly LiveEvent[]): void {
  // Events during a gap in the stream are missing, so the state is fetched again.
  if (events.some(({ name }) => name === "reset" || name === "opened" || name === "joined")) {
    void cache.invalidateQueries({ queryKey: KEY });
  }
  const rows = events.filter(({ name }) => name === "row").map(({ data }) => data as ReaderRow);
  const state = events.findLast(({ name }) => name === "reader")?.data as ReaderState | undefined;
  if (rows.length > 0) cache.setQueryData(KEY, (known) => known && withRows(known, rows));
  if (state) showState(cache, state);
}

/** Prepends new rows without duplicates. */
function withRows(known: ReaderPage, fresh: readonly ReaderRow[]): ReaderPage {
  const ids = new Set(known.rows.map(({ id }) => id));
  const added = fresh.filter(({ id }) => !ids.has(id)).reverse();
  return { ...known, rows: [...added, ...known.rows].slice(0, MAX_ROWS) };
}

/** Stores a state received from the stream or in a response. After a change of language, the texts are fetched again. */
export function showState(cache: QueryClient, state: ReaderState): void {
  const known = cache.getQueryData<ReaderPage>(KEY);
  if (known) cache.setQueryData(KEY, { ...known, state });
  if (!known || known.state.language !== state.language) void cache.invalidateQueries({ queryKey: KEY });
}
