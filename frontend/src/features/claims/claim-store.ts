// The claim in progress, of a player or a guild. It is stored in the browser, since the user leaves the page between start and
// verify.
import { useSyncExternalStore } from "react";
import { localStore } from "../../lib/browser-storage";

export type ClaimStatus = "idle" | "generating" | "ready" | "verifying" | "success" | "error";

export interface Claim {
  active: boolean;
  /** The player's handle or the guild's tag. */
  handle: string;
  code: string;
  expectedTag: string;
  oneTimeUse: boolean;
  error: string;
  status: ClaimStatus;
  /** The user who started the claim; other users of the browser do not see it. */
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
    const stored = JSON.parse(localStore.getItem(STORAGE_KEYS[kind]) ?? "null") as Claim | null;
    if (!stored || typeof stored.code !== "string") return IDLE_CLAIM;
    // A request that was pending when the page closed has no response.
    const status = stored.status === "success" ? "success" : stored.code ? "ready" : "idle";
    return { ...IDLE_CLAIM, ...stored, status, error: "" };
  } catch {
    return IDLE_CLAIM;
  }
}

export const currentClaim = (kind: ClaimKind): Claim => claims[kind];

export function setClaim(kind: ClaimKind, change: Partial<Claim>): void {
  claims[kind] = { ...claims[kind], ...change };
  localStore.setItem(STORAGE_KEYS[kind], JSON.stringify(claims[kind]));
  for (const listener of listeners) listener();
}

/** Removes the claim. */
export function resetClaim(kind: ClaimKind): void {
  claims[kind] = IDLE_CLAIM;
  localStore.removeItem(STORAGE_KEYS[kind]);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useClaim = (kind: ClaimKind): Claim => useSyncExternalStore(subscribe, () => claims[kind]);
