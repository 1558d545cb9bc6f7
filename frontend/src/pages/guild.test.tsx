import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { UserView } from "../api/types";
import { logIn, logOut } from "../features/sessions/session-store";
import { type ApiMock, type ApiRequest, mockApi, openRankingsOnCareer, renderPage } from "../test/render-page";

// Chunks loaded on demand take time on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

const member = (handle: string, overall: number, more: object = {}) => ({
  handle,
  overall,
  pu_player_kills: 0,
  pu_npc_kills: overall,
  pu_vehicle_destruction_caused: 0,
  profile_image: null,
  banner_image: null,
  last_updated: null,
  ...more,
});

const requests: [string, URL, ApiRequest][] = [];

function site(more: ApiMock = () => undefined) {
  mockApi((url, request) => {
    requests.push([request.method, url, request]);
    const response = more(url, request);
    if (response) return response;
    if (url.pathname === "/api/guild/NOVA")
      return {
        guild: {
          name: "Nova &amp; Sons",
          short: "NOVA",
          member_count: 2,
          top_members: [member("Low", 1), member("High", 9)],
        },
      };
    if (url.pathname === "/api/guild/stats/NOVA")
      return { data: { pu_player_kills: 5, pu_npc_kills: 10, pu_vehicle_destruction_caused: 5 } };
    if (url.pathname === "/api/guild/settings/NOVA")
      return { settings: { guild_image: null, banner_image: null, discord_link: "https://discord.gg/nova" } };
    if (url.pathname === "/api/guild/NOVA/members")
      return {
        members: [member("Zero", 0), member("Low", 1), member("High", 9, { pu_player_kills: 1 })],
        pagination: { total: 3, limit: 100, offset: 0 },
      };
    if (url.pathname === "/api/guild/NOVA/activity") return { data: [] };
    if (url.pathname === "/api/guild/NOVA/view") return { views: 1_234 };
    if (url.pathname === "/api/guilds/leaderboard")
      return {
        data: [
          { org_short: "VOID" },
          ...(url.searchParams.get("sortBy") === "pve_kills" ? [{ org_short: "NOVA" }] : []),
        ],
      };
    return undefined;
  });
}

const signIn = (guild_ownership: string | null) =>
  logIn({ discord_id: "1", discord_username: "kes", handle: "kestrel", guild_ownership } as UserView, "t");

beforeEach(async () => {
  requests.length = 0;
  mockApi(() => ({}));
  await logOut();
});

test("a guild whose career comes first shows sums, rank and givers, and members by career", async () => {
  openRankingsOnCareer("No kills, no score.");
  const none = { pu_player_kills: 0, pu_npc_kills: 0, pu_vehicle_destruction_caused: 0, overall: 0 };
  const sums = { ...none, career: 90, missions_completed: 7, universe_time: 7_200, ships_flown: 3, playtime: 9_000 };
  const members = [member("Low", 0, { career: 1 }), member("High", 0, { career: 9 })];
  site((url) => {
    if (url.pathname === "/api/guild/NOVA") {
      const guild = { name: "Nova", short: "NOVA", member_count: 2, opens_on_career: true, rank_career: 3 };
      return { guild: { ...guild, ...sums, top_members: members } };
    }
    if (url.pathname === "/api/guild/stats/NOVA") return { data: sums };
    if (url.pathname !== "/api/guild/NOVA/career") return undefined;
    const known = { giver: "Covalex Hauling", completed: 5, failed: 1, abandoned: 0 };
    return { data: { givers: [known, { giver: null, completed: 2, failed: 0, abandoned: 1 }] } };
  });
  await renderPage("/guild/NOVA");
  expect(await screen.findByText("TOP 3 CAREER")).toBeInTheDocument();
  expect(await screen.findByRole("row", { name: "Covalex Hauling 1 0 5" })).toBeInTheDocument();
  expect(screen.getByRole("row", { name: "Unknown giver 0 1 2" })).toBeInTheDocument();
  const top = within(screen.getByRole("region", { name: "Top Members" }));
  expect(top.getAllByRole("listitem").map((row) => row.textContent)).toEqual(["1High9", "2Low1"]);
  expect(screen.getByRole("region", { name: "Guild Overview" })).toHaveTextContent("Career per member45");
  expect(screen.queryByText("Players killed")).not.toBeInTheDocument();
});

test("a guild shows its name, rank, statistics, top members and invite", async () => {
  site();
  await renderPage("/guild/NOVA");
  expect(screen.getByText("Loading Guild Profile")).toBeInTheDocument();
  expect(screen.getByText("Fetching the latest data...")).toBeInTheDocument();
  expect(await screen.findByRole("heading", { name: "Nova & Sons" })).toBeInTheDocument();
  expect(await screen.findByText("TOP 2 PVE")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Discord Server" })).toHaveAttribute("href", "https://discord.gg/nova");
  const top = within(screen.getByRole("region", { name: "Top Members" }));
  expect(top.getAllByRole("listitem").map((row) => row.textContent)).toEqual(["1High9", "2Low1"]);
  expect(screen.getByRole("region", { name: "Guild Overview" })).toHaveTextContent("NPCs killed50.0%10");
  expect(await screen.findByText("No Recent Activity")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Claim guild" })).toHaveAttribute("href", "/link");
});

test.each([
  ["/guild/nova", "/guild/NOVA"],
  ["/guild/nova/members", "/guild/NOVA/players"],
  ["/guild/NOVA/activity", "/guild/NOVA/recent-activity"],
  ["/guild/NOVA/nonsense", "/guild/NOVA"],
])("%s leads to %s", async (from, to) => {
  site();
  const { address } = await renderPage(from);
  expect(await screen.findByRole("heading", { name: "Nova & Sons" })).toBeInTheDocument();
  expect(address().pathname).toBe(to);
});

test("a guild that could not be read is read again on request", async () => {
  const failure = { status: 500, error: "x", code: "INTERNAL" };
  let fails = true;
  site((url) => (fails && url.pathname === "/api/guild/NOVA" ? failure : undefined));
  await renderPage("/guild/NOVA");
  const retry = await screen.findByRole("button", { name: "Try again" });
  fails = false;
  await userEvent.click(retry);
  expect(await screen.findByRole("heading", { name: "Nova & Sons" })).toBeInTheDocument();
});

test("players are sorted by the chosen key, and players without a score are unranked", async () => {
  site();
  const { address } = await renderPage("/guild/NOVA/players");
  const list = await screen.findByRole("list", { name: "Players, 3 in all" });
  expect(
    within(list)
      .getAllByRole("link")
      .map((one) => one.textContent),
  ).toEqual(["High", "Low", "Zero"]);
  expect(within(list).getByText("Unranked")).toBeInTheDocument();
  await userEvent.selectOptions(screen.getByLabelText("Sort By"), "PVP");
  expect(address().search).toBe("?sort=pu_player_kills");
});

test("an owner changes the invite link, which is validated", async () => {
  signIn("nova");
  site((url) => (url.pathname === "/api/guild/settings" ? {} : undefined));
  await renderPage("/guild/NOVA");
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await userEvent.click(await screen.findByRole("button", { name: "Save" }));
  expect(screen.getByText("No changes detected")).toBeInTheDocument();
  const field = screen.getByLabelText("Discord invite link");
  await userEvent.clear(field);
  await userEvent.type(field, "https://example.org");
  expect(screen.getByText("Discord link must start with https://discord.gg/")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await userEvent.clear(field);
  await userEvent.type(field, "https://discord.gg/other");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Guild settings saved successfully!")).toBeInTheDocument();
  const sent = requests.filter(([method, url]) => method === "POST" && url.pathname === "/api/guild/settings");
  expect(sent.map(([, , request]) => JSON.parse(request.body))).toEqual([
    { guildShort: "NOVA", discordId: "1", discordLink: "https://discord.gg/other" },
  ]);
});

test("a guild that cannot be saved shows the reason", async () => {
  const response = { status: 409, error: "The link is in use.", code: "CONFLICT" };
  signIn("NOVA");
  site((url) => (url.pathname === "/api/guild/settings" ? response : undefined));
  await renderPage("/guild/NOVA?edit=guild");
  await userEvent.clear(await screen.findByLabelText("Discord invite link"));
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("The link is in use.")).toBeInTheDocument();
});

test("a view is counted and the total is shown", async () => {
  site();
  await renderPage("/guild/NOVA");
  expect(await screen.findByText("1,234", { selector: ".visually-hidden" })).toBeInTheDocument();
  expect(requests.filter(([method, url]) => method === "POST" && url.pathname.endsWith("/view"))).toHaveLength(1);
});
