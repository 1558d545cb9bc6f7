// Telling the server of visits. Who is asked not to be counted is decided in `features/visits`, not here.
import { call } from "./client";

export interface VisitEvent {
  pageTitle: string;
  customData: Record<string, string | number | null>;
}

/** At most ten events a call. */
export const trackVisits = (events: VisitEvent[]) =>
  call<{ sessionId?: string }>("/api/analytics/track", { method: "POST", body: { events }, auth: false });
