// The setting for single-key shortcuts (`/`, `?`). Speech input and slips can trigger such keys, so they can be switched off
// (WCAG 2.1.4). Stored in the browser.
const STORAGE_KEY = "apogee_shortcuts";

/** Enabled by default, also if the browser stores nothing. */
export function areShortcutsEnabled(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== "off";
  } catch {
    return true;
  }
}

export function setShortcutsEnabled(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, "off");
  } catch {
    // Without storage, shortcuts remain enabled.
  }
}
