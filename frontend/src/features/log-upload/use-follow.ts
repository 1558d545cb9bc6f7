// The game that this tab follows. It goes on while the player visits other pages of the site.
import { useEffect, useSyncExternalStore } from "react";
import { chooseFolder, type FollowState, followedFolder, followGame, forgetFolder, grantFolder } from "./follow";
import type { OptIn } from "./reading";

interface Following {
  /** The folder that was followed before; null if there is none. */
  folder: string | null;
  /** Null while nothing is followed. */
  state: FollowState | null;
  /** Why the folder could not be opened. */
  error: string | null;
}

let following: Following = { folder: null, state: null, error: null };
let running: { stop(): void } | null = null;
const listeners = new Set<() => void>();

function update(change: Partial<Following>): void {
  following = { ...following, ...change };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useFollow(): Following {
  useEffect(() => void followedFolder().then((known) => update({ folder: known?.name ?? null })), []);
  return useSyncExternalStore(subscribe, () => following);
}

/** Follows the folder that was followed before, or another one. The browser asks for it. */
export async function startFollowing(share: OptIn[], isOther: boolean): Promise<void> {
  update({ error: null });
  try {
    const known = isOther ? null : await followedFolder();
    const isOpen = known === null ? await chooseFolder() : known.isGranted || (await grantFolder());
    if (!isOpen) return;
    running?.stop();
    running = followGame(share, (state) => update({ state, folder: state.folder || following.folder }));
  } catch (error) {
    update({ error: error instanceof Error ? error.message : String(error) });
  }
}

export function stopFollowing(): void {
  running?.stop();
  running = null;
  update({ state: null });
}

export async function forgetFollowed(): Promise<void> {
  stopFollowing();
  await forgetFolder();
  update({ folder: null });
}
