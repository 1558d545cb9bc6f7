// Hooks over the one stream. A page names its topics; the cache is patched, and the page draws from its queries as ever.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { type LiveState, liveState, onLiveState, subscribe } from "../../api/live";
import { applyLiveEvents } from "./live-updates";

/** Keeps the query cache fresh from these topics while the caller is on screen. */
export function useLive(...topics: string[]): void {
  const cache = useQueryClient();
  const wanted = topics.join(",");
  useEffect(() => {
    if (wanted === "") return;
    return subscribe(wanted.split(","), (events) => applyLiveEvents(cache, events));
  }, [cache, wanted]);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(onLiveState, liveState);
}
