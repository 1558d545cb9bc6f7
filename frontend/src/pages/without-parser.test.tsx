// The site as it is built without the parser of logs: the compiler's target was missing.
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { UserView } from "../api/types";
import { logIn } from "../features/sessions/session-store";
import { STICKERS } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

vi.hoisted(() => Object.assign(globalThis, { HAS_LOG_PARSER: false }));

test("a site that cannot read logs leads to the program, and nothing leads to the reading", async () => {
  mockApi(() => ({ discord: null }));
  await renderPage("/connect-app");
  await userEvent.click(screen.getByRole("button", { name: "Menu" }));
  expect(await screen.findByRole("navigation", { name: "Menu" })).toBeInTheDocument();
  expect(screen.queryByText("Read my log")).toBeNull();
  expect(screen.getByRole("heading", { name: "With the program" })).toBeInTheDocument();
  expect(document.querySelectorAll("a[href='/connect-app']").length).toBeGreaterThan(0);
  expect(document.querySelector("a[href='/upload']")).toBeNull();
});

test("where others offer to read the log, an empty career leads to the program, and a finished claim only to the profile", async () => {
  const none = { career: 0, contracts_completed: 0, universe_time: 0, ships_flown: 0, givers: [], ships: [] };
  const career = { ...none, blueprints_received: 0, blueprints: [], days: [] };
  const player = {
    handle: "Kestrel",
    player_name: "Kestrel",
    is_claimed: true,
    game_stats: {},
    lifetime: {},
    ships_flown: 1,
  };
  mockApi((url) => {
    if (url.pathname.endsWith("/career")) return { data: career };
    if (url.pathname === "/api/stickers") return { stickers: STICKERS };
    return url.pathname === "/api/player/Kestrel" ? { player } : { discord: null };
  });
  const profile = await renderPage("/player/Kestrel/career");
  expect(await screen.findByRole("link", { name: "Get the program" })).toHaveAttribute("href", "/connect-app");
  expect(document.querySelector("a[href='/upload']")).toBeNull();
  profile.unmount();
  await act(async () => logIn({ discord_id: "7", discord_username: "ada", handle: "Kestrel" } as UserView, "t"));
  await renderPage("/player/claim");
  expect(await screen.findByText(/^Profile claimed:/)).toHaveTextContent("Profile claimed: Kestrel");
  expect(document.querySelector("a[href='/upload']")).toBeNull();
});
