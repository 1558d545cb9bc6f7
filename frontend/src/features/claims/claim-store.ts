// The claim that is under way in this browser: of the own player, or of a guild. It outlives the page, since between
// start and verify the user goes to the game's site. The server alone decides whether a claim holds.
import { useSyncExternalStore } from "react";

export type ClaimStatus = "idle" | "generating" | "ready" | "verifying" | "success" | "error";

export interface Claim {
  active: boolean;
  /** Handle of the player, or tag of the guild. */
  handle: string;
  code: string;
  expectedTag: string;
  oneTimeUse: boolean;
  error: string;
  status: ClaimStatus;
  /** Whose claim it is; another user of the same browser does not see it. */
  discordId: string;
}

export type ClaimKind = "player" | "guild";

export const IDLE_CLAIM: Claim = {
  active: false,
  handle: "",
  code: "",
  expectedTag: "",
  oneTimeUse: true,
  error: "",
  status: "idle",
  discordId: "",
};

const STORAGE_KEYS = { player: "claimProcess", guild: "guildClaimProcess" } as const;
const listeners = new Set<() => void>();
const claims = { player: restore("player"), guild: restore("guild") };

function restore(kind: ClaimKind): Claim {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEYS[kind]) ?? "null") as Claim | null;
    if (!stored || typeof stored.code !== "string") return IDLE_CLAIM;
    // What was under way when the page closed has no answer any more.
    const status = stored.status === "success" ? "success" : stored.code ? "ready" : "idle";
    return { ...IDLE_CLAIM, ...stored, status, error: "" };
  } catch {
    return IDLE_CLAIM;
  }
}

export const currentClaim = (kind: ClaimKind): Claim => claims[kind];

export function setClaim(kind: ClaimKind, change: Partial<Claim>): void {
  claims[kind] = { ...claims[kind], ...change };
  localStorage.setItem(STORAGE_KEYS[kind], JSON.stringify(claims[kind]));
  for (const listener of listeners) listener();
}

/** Forgets handle, code, tag and error. */
export function resetClaim(kind: ClaimKind): void {
  claims[kind] = IDLE_CLAIM;
  localStorage.removeItem(STORAGE_KEYS[kind]);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useClaim = (kind: ClaimKind): Claim => useSyncExternalStore(subscribe, () => claims[kind]);
