import { type QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { UserView } from "../../api/types";
import { mockApi, newTestClient } from "../../test/render-page";
import { changeUser, logIn, logOut } from "./session-store";
import { clearOnViewerChange } from "./viewer-cache";

const user = (id: string, more: object = {}) =>
  ({ discord_id: id, handle: null, guild_ownership: null, is_admin: false, ...more }) as UserView;
let cache: QueryClient;
let stop: () => void;

beforeEach(async () => {
  mockApi(() => ({}));
  await logOut();
  logIn(user("1"), "one");
  cache = newTestClient();
  stop = clearOnViewerChange(cache);
});
afterEach(() => {
  stop();
  cache.clear();
});

const KEYS = [["players", "profile", "vexa"], ["ingest", "keys"], ["admin", "state"], ["sessions"], ["anything new"]];

test("signing out, in and switching accounts only clears viewer-dependent queries", async () => {
  const changes = [() => logOut(), () => logIn(user("1"), "one"), () => logIn(user("2"), "two")];
  for (const change of changes) {
    for (const key of [...KEYS, ["leaderboard", "players"]]) cache.setQueryData(key, "of the viewer before");
    await change();
    for (const key of KEYS) expect(cache.getQueryData(key)).toBeUndefined();
    expect(cache.getQueryData(["leaderboard", "players"])).toBe("of the viewer before");
  }
});

test("a change that does not affect the viewer's rights clears nothing", () => {
  cache.setQueryData(["players"], "cached");
  changeUser({ discord_username: "new name" });
  expect(cache.getQueryData(["players"])).toBe("cached");
  changeUser({ handle: "Vexa" });
  expect(cache.getQueryData(["players"])).toBeUndefined();
});

test("a response for one viewer never enters the cache of the next", async () => {
  const responses: ((text: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => responses.push(resolve));
  const shown: unknown[] = [];
  const observer = new QueryObserver(cache, { queryKey: ["players", "profile", "vexa"], queryFn });
  const unsubscribe = observer.subscribe(({ data }) => shown.push(data));
  expect(responses).toHaveLength(1);
  logIn(user("2"), "two");
  await expect.poll(() => responses.length).toBe(2);
  responses[0]?.("for the first");
  responses[1]?.("for the second");
  await expect.poll(() => cache.getQueryData(["players", "profile", "vexa"])).toBe("for the second");
  expect(shown).not.toContain("for the first");
  unsubscribe();
});

test("another tab that switches the account clears as well", () => {
  cache.setQueryData(["players"], "of the viewer before");
  localStorage.setItem("linkUser", JSON.stringify(user("2")));
  localStorage.setItem("jwt", "two");
  window.dispatchEvent(new StorageEvent("storage", { key: "linkUser" }));
  expect(cache.getQueryData(["players"])).toBeUndefined();
});
