// Whether keys without a modifier act (`/`, `?`). Voice input and slips of the hand press such keys unintentionally, so they can be
// switched off (WCAG 2.1.4). The choice is stored in the browser.
const STORAGE_KEY = "apogee_shortcuts";

/** On until the visitor switches them off, and where the browser stores nothing. */
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
    // A browser that stores nothing keeps them on.
  }
}
