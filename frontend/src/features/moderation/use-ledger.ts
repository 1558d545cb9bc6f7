import { useInfiniteQuery } from "@tanstack/react-query";
import { ledgerQuery } from "../../api/moderation";
import type { LedgerPage } from "../../api/types";
import { uniqBy } from "../../lib/uniq-by";

const POLL_INTERVAL_MS = 2_000;

/** All loaded entries of the ledger. With `isPolling`, they are refetched while one of them is running. */
export function useLedger({ isPolling = false }: { isPolling?: boolean } = {}) {
  const list = useInfiniteQuery({
    ...ledgerQuery(),
    refetchInterval: ({ state }) => isPolling && hasRunningEntry(state.data?.pages) && POLL_INTERVAL_MS,
  });
  const entries = uniqBy(list.data?.pages.flatMap((page) => page.data) ?? [], (entry) => String(entry.id));
  return { list, entries, isRunning: hasRunningEntry(list.data?.pages) };
}

const hasRunningEntry = (pages: LedgerPage[] = []) =>
  pages.some((page) => page.data.some((entry) => entry.state === "running"));
