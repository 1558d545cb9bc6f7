// Reports page visits. `features/visits` handles opt-outs.
import { call } from "./client";

export interface VisitEvent {
  pageTitle: string;
  customData: Record<string, string | number | null>;
}

/** Sends at most ten events. */
export const trackVisits = (events: VisitEvent[]) =>
  call<{ sessionId?: string }>("/api/analytics/track", { method: "POST", body: { events }, auth: false });
