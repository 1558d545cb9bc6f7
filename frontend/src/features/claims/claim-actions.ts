// Actions on a claim. Start, verify and cancel store their outcome in the claim's state and do not throw. The server checks
// permissions; the caller provides `whenUnreachable`, the demo mode.
import {
  cancelClaim,
  startClaim,
  startGuildClaim,
  unlinkPlayer,
  verifyClaim,
  verifyGuildClaim,
} from "../../api/claims";
import { ApiError, serverSentence } from "../../api/errors";
import { type ClaimKind, currentClaim, resetClaim, setClaim } from "./claim-store";

const START_FAILED = "Failed to start claim process. Please try again.";
const CODE_NOT_FOUND =
  "Failed to verify your claim. Please make sure you added the verification code to your profile bio.";
const GUILD_CODE_NOT_FOUND =
  "Failed to verify your claim. Please make sure you added the verification code to your organization's page.";
const VERIFY_FAILED = "Failed to verify your claim. Please try again.";
export const NO_HANDLE = "Please enter your Star Citizen handle";
export const NOT_LOGGED_IN = "You must be logged in with Discord to claim a player profile";
export const DEMO_CLAIMED = "Demo mode: Your Star Citizen profile has been successfully claimed!";

/** Requests a verification code. */
export async function startClaimProcess(kind: ClaimKind, handle: string, discordId: string | undefined): Promise<void> {
  const name = handle.trim();
  if (name === "") return setClaim(kind, { error: NO_HANDLE });
  if (!discordId) return setClaim(kind, { error: NOT_LOGGED_IN });
  setClaim(kind, { ...currentClaim(kind), handle: name, discordId, status: "generating", error: "" });
  try {
    const started = await (kind === "player" ? startClaim(name, discordId) : startGuildClaim(name));
    setClaim(kind, {
      active: true,
      status: "ready",
      handle: started.handle || name,
      code: started.verificationCode,
      expectedTag: started.expectedTag || started.verificationCode,
      oneTimeUse: started.oneTimeUse ?? true,
    });
  } catch (error) {
    setClaim(kind, { status: "idle", error: messageOr(error, START_FAILED) });
  }
}

export interface Verified {
  handle: string;
  org_short: string;
}

/** Verifies the claim. Returns its owner and guild on success; otherwise null, with the reason in the state. */
export async function verify(kind: ClaimKind, whenUnreachable?: () => Promise<boolean>): Promise<Verified | null> {
  const { handle, discordId } = currentClaim(kind);
  if (!discordId) {
    setClaim(kind, { status: "error", error: "You must be logged in with Discord to verify a claim" });
    return null;
  }
  setClaim(kind, { status: "verifying", error: "" });
  try {
    const player =
      kind === "player" ? (await verifyClaim(handle, discordId)).player : void (await verifyGuildClaim(handle));
    setClaim(kind, { active: false, status: "success", code: "", expectedTag: "", handle: player?.handle ?? handle });
    return { handle: player?.handle ?? handle, org_short: player?.org_short ?? "" };
  } catch (error) {
    if (error instanceof ApiError && error.status === 0 && (await whenUnreachable?.())) {
      setClaim(kind, { active: false, status: "success", code: "", expectedTag: "", error: DEMO_CLAIMED });
      return null;
    }
    const fallback = mayBeMissingCode(error)
      ? kind === "player"
        ? CODE_NOT_FOUND
        : GUILD_CODE_NOT_FOUND
      : VERIFY_FAILED;
    setClaim(kind, { status: "error", error: messageOr(error, fallback) });
    return null;
  }
}

/** Resets the claim in this browser, then on the server if it is reachable. */
export async function cancel(kind: ClaimKind): Promise<void> {
  const { handle, discordId, active } = currentClaim(kind);
  resetClaim(kind);
  if (kind === "player" && active) await cancelClaim(handle, discordId).catch(() => undefined);
}

/** Unlinks the player. Throws an `Error` with the message to show. */
export async function unlink(discordId: string | undefined): Promise<void> {
  if (!discordId) throw new Error("You must be logged in to unlink a profile");
  try {
    await unlinkPlayer(discordId);
  } catch (error) {
    throw new Error(messageOr(error, "Your profile could not be unlinked. Please try again."));
  }
  resetClaim("player");
}

/** Reports whether the code may be missing: the server said so, or gave no readable reason. */
const mayBeMissingCode = (error: unknown) =>
  error instanceof ApiError && (error.code === "CODE_NOT_FOUND" || error.body === null);

/** Returns the server's message, or `fallback` without a readable response. */
const messageOr = (error: unknown, fallback: string) => serverSentence(error) || fallback;
