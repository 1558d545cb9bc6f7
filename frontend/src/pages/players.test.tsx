import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { PlayerRow } from "../api/types";
import { playerRow as player, STICKERS } from "../test/fixtures";
import { mockApi, openRankingsOnCareer, renderPage } from "../test/render-page";

function board(rows: PlayerRow[], total = rows.length, requests: URL[] = []) {
  mockApi((url) => {
    if (url.pathname === "/api/stickers") return { stickers: STICKERS };
    if (url.pathname === "/api/stats/counts") return { players: 2_665_916, orgs: 3 };
    if (url.pathname === "/api/players/top") return { players: [] };
    if (url.pathname !== "/api/players/leaderboard") return undefined;
    requests.push(url);
    return { players: rows, pagination: { page: 1, limit: 30, total, hasNextPage: false } };
  });
}

test("a row shows rank, name, guild, score, last activity and derived stickers, and links to the player", async () => {
  board([player(1)], 40);
  await renderPage("/players");
  const list = await screen.findByRole("list", { name: "Players, 40 in all" });
  const row = within(list).getByRole("listitem");
  expect(within(row).getByRole("link", { name: "Pilot_1" })).toHaveAttribute("href", "/player/pilot_1");
  expect(within(row).getByRole("link", { name: "NOVA" })).toHaveAttribute("title", "Nova & Sons");
  expect(row).toHaveTextContent("#1");
  expect(row).toHaveTextContent("12.3k");
  expect(row).toHaveTextContent("Last Active Unknown");
  expect(await within(row).findByRole("button", { name: "Banana for scale" })).toBeInTheDocument();
  expect(within(row).getByRole("button", { name: "Monkey business" })).toBeInTheDocument();
  expect(screen.getByText("Reached display limit - 1 of 40 players shown")).toBeInTheDocument();
});

test("a row leads to its own player when the display name is another player's handle", async () => {
  const rows = [
    player(1, { handle: "Twin_One", player_name: "Twin_Two" }),
    player(2, { handle: "Twin_Two", player_name: "Second Twin" }),
  ];
  board(rows, 2);
  await renderPage("/players");
  expect(await screen.findByRole("link", { name: "Twin_Two" })).toHaveAttribute("href", "/player/Twin_One");
  expect(screen.getByRole("link", { name: "Second Twin" })).toHaveAttribute("href", "/player/Twin_Two");
});

test("names and tags are not translated", async () => {
  board([player(1)]);
  await renderPage("/players");
  for (const name of ["Pilot_1", "NOVA"]) {
    expect((await screen.findByText(name)).closest("[translate=no]")).not.toBeNull();
  }
});

test("sort key and window are in the URL", async () => {
  const requests: URL[] = [];
  board([player(1)], 1, requests);
  const { address } = await renderPage("/players?window=7d");
  await userEvent.selectOptions(await screen.findByLabelText("Sort By"), "PVP");
  expect(address().search).toBe("?window=7d&sort=pu_player_kills");
  await screen.findByRole("list", { name: "Players, 1 in all" });
  expect(requests.at(-1)?.search).toContain("sortBy=pu_player_kills");
  expect(requests.at(-1)?.search).toContain("window=7d");
});

test("a leaderboard opens on the career where the site says so, and tells why, unless the URL names another key", async () => {
  openRankingsOnCareer("No kills, no score.");
  const requests: URL[] = [];
  board([player(1, { career: 777 })], 1, requests);
  const { address } = await renderPage("/players");
  expect(await screen.findByText("777")).toBeInTheDocument();
  expect(screen.getByText("No kills, no score.")).toBeInTheDocument();
  expect(screen.getByRole("heading", { name: "Top 5 by career" })).toBeInTheDocument();
  await userEvent.selectOptions(screen.getByLabelText("Sort By"), "Overall Score");
  expect(address().search).toBe("?sort=overall");
  expect(await screen.findByText("12.3k")).toBeInTheDocument();
  expect(requests.map((url) => url.searchParams.get("sortBy"))).toEqual(["career", "overall"]);
});

test("NONE means no guild and has no badge", async () => {
  mockApi((url) => {
    if (url.pathname !== "/api/players/leaderboard") return undefined;
    return {
      players: [player(1, { org_short: "NONE", org_name: "NONE" })],
      pagination: { total: 1, hasNextPage: false },
    };
  });
  await renderPage("/players");
  expect(await screen.findByRole("link", { name: "Pilot_1" })).toBeInTheDocument();
  expect(screen.queryByText("NONE")).toBeNull();
});

test("a failed leaderboard shows an error and a retry button", async () => {
  let fails = true;
  mockApi((url) => {
    if (url.pathname === "/api/stats/counts") return { players: 1, orgs: 1 };
    if (url.pathname === "/api/players/top") return { players: [] };
    if (url.pathname !== "/api/players/leaderboard") return undefined;
    return fails
      ? new TypeError("offline")
      : { players: [player(1)], pagination: { limit: 30, total: 1, hasNextPage: false } };
  });
  await renderPage("/players");
  expect(await screen.findByText("Network error loading players")).toBeInTheDocument();
  fails = false;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("link", { name: "Pilot_1" })).toBeInTheDocument();
});
