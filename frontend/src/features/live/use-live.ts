// Hooks for the live stream.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { type LiveState, liveState, onLiveState, subscribe } from "../../api/live";
import { applyLiveEvents } from "./live-updates";

/** Subscribes to topics while the component is mounted, and applies their events to the query cache. */
export function useLive(...topics: string[]): void {
  const cache = useQueryClient();
  const topicList = topics.join(",");
  useEffect(() => {
    if (topicList === "") return;
    return subscribe(topicList.split(","), (events) => applyLiveEvents(cache, events));
  }, [cache, topicList]);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(onLiveState, liveState);
}
