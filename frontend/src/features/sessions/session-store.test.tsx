import { afterEach, expect, test, vi } from "vitest";
import type { UserView } from "../../api/types";

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

test("a sign-in works for the open page when the browser forbids storage", async () => {
  vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError");
  });
  vi.resetModules();
  const { currentSession, logIn } = await import("./session-store");
  const { readToken } = await import("../../api/client");
  expect(currentSession()).toEqual({ user: null, local: false });
  const user = { discord_id: "7", handle: null } as UserView;
  logIn(user, "token");
  expect(currentSession()).toEqual({ user, local: false });
  expect(readToken()).toBe("token");
});
