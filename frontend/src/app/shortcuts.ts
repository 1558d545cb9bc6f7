// The setting for single-key shortcuts (`/`, `?`). Speech input and slips can trigger such keys, so they can be switched off
// (WCAG 2.1.4). Stored in the browser.
import { localStore } from "../lib/browser-storage";

const STORAGE_KEY = "apogee_shortcuts";

/** Enabled by default, also if the browser stores nothing. */
export function areShortcutsEnabled(): boolean {
  return localStore.getItem(STORAGE_KEY) !== "off";
}

export function setShortcutsEnabled(isOn: boolean): void {
  if (isOn) localStore.removeItem(STORAGE_KEY);
  else localStore.setItem(STORAGE_KEY, "off");
}
