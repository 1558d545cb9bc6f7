// Whether keys without a modifier act (`/`, `?`). Voice input and slips of the hand press such keys unintentionally, so they can be
// switched off (WCAG 2.1.4). The choice is stored in the browser.
const ENTRY = "apogee_shortcuts";

/** On until the visitor switches them off, and where the browser stores nothing. */
export function hasShortcuts(): boolean {
  try {
    return localStorage.getItem(ENTRY) !== "off";
  } catch {
    return true;
  }
}

export function setShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(ENTRY);
    else localStorage.setItem(ENTRY, "off");
  } catch {
    // A browser that stores nothing keeps them on.
  }
}
