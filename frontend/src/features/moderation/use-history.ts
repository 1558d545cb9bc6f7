import { useInfiniteQuery } from "@tanstack/react-query";
import { type HistoryPage, historyQuery } from "../../api/moderation";
import { uniqBy } from "../../lib/uniq-by";

const POLL_INTERVAL_MS = 2_000;

/** All loaded entries of the moderation history. They are refetched while one of them is running. */
export function useHistory() {
  const list = useInfiniteQuery({
    ...historyQuery(),
    refetchInterval: ({ state }) => hasRunningEntry(state.data?.pages) && POLL_INTERVAL_MS,
  });
  const entries = uniqBy(list.data?.pages.flatMap((page) => page.data) ?? [], (entry) => String(entry.id));
  return { list, entries, isRunning: hasRunningEntry(list.data?.pages) };
}

const hasRunningEntry = (pages: HistoryPage[] = []) =>
  pages.some((page) => page.data.some((entry) => entry.state === "running"));
