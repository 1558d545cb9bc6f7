// What can be done with a claim. Start, verify and cancel write their outcome into the claim's state and do not throw. Which
// right a user has is the server's to say; what a demo is, is decided by whoever hands in `whenUnreachable`.
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

/** Asks the server for a code. */
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

/** Has the server look for the code. Gives whose claim it was when it holds; null otherwise, with the reason in the state. */
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

/** Ends the claim here at once; the server is told and may be unreachable. */
export async function cancel(kind: ClaimKind): Promise<void> {
  const { handle, discordId, active } = currentClaim(kind);
  resetClaim(kind);
  if (kind === "player" && active) await cancelClaim(handle, discordId).catch(() => undefined);
}

/** Gives the player back. Throws an `Error` with the sentence to show. */
export async function unlink(discordId: string | undefined): Promise<void> {
  if (!discordId) throw new Error("You must be logged in to unlink a profile");
  try {
    await unlinkPlayer(discordId);
  } catch (error) {
    throw new Error(messageOr(error, "Your profile could not be unlinked. Please try again."));
  }
  resetClaim("player");
}

/** Whether the missing code may be the reason: the server said so, or gave no readable reason. */
const mayBeMissingCode = (error: unknown) =>
  error instanceof ApiError && (error.code === "CODE_NOT_FOUND" || error.body === null);

/** The server's own sentence; `own` when it gave none: no answer, or an unreadable one. */
const messageOr = (error: unknown, fallback: string) => serverSentence(error) || fallback;
