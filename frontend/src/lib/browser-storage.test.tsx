import { afterEach, expect, test, vi } from "vitest";
import { localStore } from "./browser-storage";

afterEach(() => {
  vi.restoreAllMocks();
  localStore.removeItem("key");
});

test("a value that the browser does not store is kept for the page", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  expect(localStore.setItem("key", "value")).toBe(false);
  expect(localStore.getItem("key")).toBe("value");
  localStore.removeItem("key");
  expect(localStore.getItem("key")).toBeNull();
});

test("storage that the browser forbids is empty and keeps values for the page", () => {
  vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError");
  });
  expect(localStore.getItem("key")).toBeNull();
  expect(localStore.setItem("key", "value")).toBe(false);
  expect(localStore.getItem("key")).toBe("value");
});
