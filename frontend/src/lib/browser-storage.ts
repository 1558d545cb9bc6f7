// The browser's storage. Some browsers forbid it or have no space left; then values are kept until the page is closed.

class BrowserStorage {
  /** Values that the browser did not store. */
  private readonly unsaved = new Map<string, string>();

  constructor(private readonly name: "localStorage" | "sessionStorage") {}

  getItem(key: string): string | null {
    try {
      return this.unsaved.get(key) ?? window[this.name].getItem(key);
    } catch {
      return null;
    }
  }

  /** Returns whether the browser stored the value. */
  setItem(key: string, value: string): boolean {
    try {
      window[this.name].setItem(key, value);
      this.unsaved.delete(key);
      return true;
    } catch {
      this.unsaved.set(key, value);
      return false;
    }
  }

  removeItem(key: string): void {
    this.unsaved.delete(key);
    try {
      window[this.name].removeItem(key);
    } catch {
      // There is nothing to remove.
    }
  }
}

export const localStore = new BrowserStorage("localStorage");
export const sessionStore = new BrowserStorage("sessionStorage");
