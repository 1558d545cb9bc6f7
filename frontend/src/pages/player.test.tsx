import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { PlayerView, UserView } from "../api/types";
import { logIn, logOut } from "../features/sessions/session-store";
import { STICKERS } from "../test/fixtures";
import { type ApiMock, type ApiRequest, mockApi, openRankingsOnCareer, renderPage } from "../test/render-page";

// Chunks loaded on demand take time on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });
const kestrel = (more: object = {}) =>
  ({
    handle: "Kestrel",
    player_name: "Kestrel",
    org_short: "NOVA",
    org_name: "Nova &amp; Sons",
    rank: 12,
    rank_overall: 12,
    rank_pvp: "Top 4",
    rank_pve: null,
    rank_vehicle: 57,
    percentile_overall: 98.7,
    overall: 11_014,
    pve_kills: 10_231,
    vehicle_destructions: 365,
    missions_completed: 842,
    playtime: 4_123_000,
    profile_views: "41",
    is_claimed: true,
    is_hidden: false,
    profileImage: null,
    bannerImage: null,
    stickers: [683583],
    game_stats: {
      pu_player_kills: 10,
      ac_player_kills: 5,
      pu_player_deaths: 4,
      ac_player_deaths: 0,
      pu_npc_kills: 7,
      pu_vehicle_destruction_caused: 3,
      pu_vehicle_instant_destruction_caused: 2,
    },
    lifetime: { playtimeHours: 1_145, totalMatches: 632 },
    progress: { level: 21, currentXP: 914, nextLevelXP: 1_300 },
    patch: "ALPHA 4.3.2",
    last_active: null,
    ...more,
  }) as unknown as PlayerView;

const event = (id: number, more: object = {}) => ({
  id: String(id),
  identifier: "login",
  event_time: 1_760_000_000 + id,
  player_name: "Kestrel",
  ...more,
});

const requests: [string, URL, ApiRequest][] = [];

/** Mocks a site with one player; `more` is called first. */
function site(player: object | undefined, more: ApiMock = () => undefined) {
  mockApi((url, request) => {
    requests.push([request.method, url, request]);
    const response = more(url, request);
    if (response) return response;
    if (url.pathname === "/api/stickers") return { stickers: STICKERS };
    if (url.pathname.endsWith("/view")) return { views: 42 };
    if (/\/(weapons|vehicles|missions|history)$/.test(url.pathname)) return { data: [] };
    if (url.pathname.endsWith("/activity"))
      return { data: [event(2), event(1)], pagination: { total: 2, limit: 50, offset: 0 } };
    if (/^\/api\/player\/[^/]+$/.test(url.pathname) && player) return { player };
    return undefined;
  });
}

const signIn = (more: object = {}) =>
  logIn({ discord_id: "1", discord_username: "kes", handle: "kestrel", ...more } as UserView, "t");

beforeEach(async () => {
  requests.length = 0;
  mockApi(() => ({}));
  await logOut();
});

test("a profile shows its ranks, views, patch, guild, stickers and statistics", async () => {
  site(kestrel());
  await renderPage("/player/Kestrel");
  expect(await screen.findByRole("heading", { name: "Kestrel" })).toBeInTheDocument();
  expect(screen.getByText("Rank 4")).toBeInTheDocument();
  expect(await screen.findByText("Top 1.3%")).toBeInTheDocument();
  expect(screen.getByText("ALPHA 4.3.2")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "NOVA" })).toHaveAttribute("href", "/guild/NOVA");
  expect(screen.getByRole("link", { name: "NOVA" })).toHaveAttribute("translate", "no");
  expect(await screen.findByRole("button", { name: "Banana for scale" })).toBeInTheDocument();
  expect(await screen.findByText("42")).toBeInTheDocument();
  const combat = await screen.findByRole("table", { name: "Combat statistics by game mode" });
  expect(within(combat).getByRole("row", { name: "Human K/D 2.50 5.00 3.75" })).toBeInTheDocument();
  expect(within(combat).getByRole("row", { name: /^Vehicles destroyed 5 0 5$/ })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  expect(screen.queryByRole("button", { name: /^Update (Now|in)/ })).toBeNull();
});

test("another spelling of the handle redirects to the game's and keeps the tab", async () => {
  site(kestrel());
  const { address } = await renderPage("/player/kESTREL/missions");
  expect(await screen.findByText("No missions recorded")).toBeInTheDocument();
  expect(address().pathname).toBe("/player/Kestrel/missions");
});

test("a player who could not be read is read again on request", async () => {
  let fails = true;
  site(kestrel(), (url) => (fails && url.pathname === "/api/player/Kestrel" ? new TypeError("offline") : undefined));
  await renderPage("/player/Kestrel");
  expect(await screen.findByText("Failed to load player data")).toBeInTheDocument();
  fails = false;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Rank 4")).toBeInTheDocument();
});

test("a hidden profile is a placeholder and counts no views", async () => {
  site({ handle: "Kestrel", is_hidden: true });
  await renderPage("/player/Kestrel");
  expect(await screen.findByRole("heading", { name: "Profile hidden" })).toBeInTheDocument();
  expect(screen.getByText("This profile has been hidden from public view by owner.")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Back to Players" })).toHaveAttribute("href", "/players");
  expect(screen.queryByRole("button", { name: "Edit Profile Settings" })).toBeNull();
  expect(requests.some(([, url]) => url.pathname.endsWith("/view"))).toBe(false);
});

/** Figures of a player of whom nothing is known. */
const nothing = { game_stats: {}, missions_completed: 0, playtime: 0, universe_time: 0, ships_flown: 0 };

test("everybody sees a profile whose only figure is time in the universe, as most logs tell no kills", async () => {
  site(kestrel({ ...nothing, universe_time: 1_620 }));
  await renderPage("/player/Kestrel");
  expect(await screen.findByRole("heading", { level: 1, name: "Kestrel" })).toBeInTheDocument();
  expect(screen.queryByText("No statistics yet")).toBeNull();
});

test("a profile without statistics or owner can be claimed", async () => {
  site(kestrel({ ...nothing, is_claimed: false }));
  await renderPage("/player/Kestrel");
  expect(await screen.findByRole("heading", { name: "Profile not claimed yet" })).toBeInTheDocument();
  expect(screen.getByText("Player has not yet claimed their profile")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Claim profile" })).toHaveAttribute("href", "/link?for=claim");
});

test("an owner without activity sees a link to the guide, at most once in five minutes", async () => {
  signIn();
  site(kestrel(), (url) => (url.pathname.endsWith("/activity") ? { data: [] } : undefined));
  const { unmount } = await renderPage("/player/Kestrel");
  const notice = await screen.findByRole("complementary", { name: "Why I don't see my stats?" });
  expect(within(notice).getByRole("link", { name: "Guide" })).toHaveAttribute("href", "/guides");
  await userEvent.click(within(notice).getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("complementary", { name: "Why I don't see my stats?" })).toBeNull();
  expect(Date.now() - Number(localStorage.getItem("statsNoticeShownAt"))).toBeLessThan(300_000);
  unmount();
});

test("an update starts a cooldown of five minutes that survives a reload", async () => {
  signIn();
  site(kestrel(), (url) => (url.pathname.startsWith("/api/player/update-profile/") ? {} : undefined));
  const { unmount } = await renderPage("/player/Kestrel");
  await userEvent.click(await screen.findByRole("button", { name: "Update Now" }));
  expect(await screen.findByRole("button", { name: /^Update in (5:00|4:59)$/ })).toBeDisabled();
  expect(requests.find(([, url]) => url.pathname.includes("update-profile"))?.[2].body).toBe('{"force":true}');
  unmount();
  await renderPage("/player/Kestrel");
  expect(await screen.findByRole("button", { name: /^Update in (5:00|4:5\d)$/ })).toBeDisabled();
});

test("an expired cooldown has no effect", async () => {
  signIn();
  localStorage.setItem("refreshCooldown:kestrel", JSON.stringify({ seconds: 300, at: Date.now() - 301_000 }));
  site(kestrel());
  await renderPage("/player/Kestrel");
  expect(await screen.findByRole("button", { name: "Update Now" })).toBeEnabled();
});

test("metric and range of the plot are in the URL, and a shared URL opens them", async () => {
  site(kestrel());
  const { address, unmount } = await renderPage("/player/Kestrel?metric=pve_kills&days=90");
  expect(await screen.findByLabelText("Metric")).toHaveValue("pve_kills");
  expect(screen.getByLabelText("Days")).toHaveValue("90");
  await waitFor(() => {
    const url = requests.findLast(([, one]) => one.pathname.endsWith("/history"))?.[1];
    expect(url?.search).toBe("?metric=pve_kills&days=90");
  });
  await userEvent.selectOptions(screen.getByLabelText("Metric"), "Overall Score");
  await userEvent.selectOptions(screen.getByLabelText("Days"), "1 year");
  expect(address().search).toBe("?days=365");
  unmount();
});

test("the history is filtered by the URL and ends with its total", async () => {
  site(kestrel());
  const { address } = await renderPage("/player/Kestrel/recent-activity");
  expect(await screen.findByText("Showing all 2 activities")).toBeInTheDocument();
  await userEvent.selectOptions(screen.getByLabelText("Show"), "PVP");
  expect(address().search).toBe("?filter=pvp");
  expect(await screen.findByText("Showing all 2 PVP activities")).toBeInTheDocument();
  const url = requests.findLast(([, one]) => one.pathname.endsWith("/activity"))?.[1];
  expect(url?.searchParams.get("filter")).toBe("pvp");
  expect(url?.searchParams.get("limit")).toBe("100");
});

test("a history without a total just ends, and hides connections", async () => {
  site(kestrel(), (url) =>
    url.pathname.endsWith("/activity")
      ? { data: [event(2), event(1, { identifier: "connection_success" })] }
      : undefined,
  );
  await renderPage("/player/Kestrel/recent-activity?filter=missions");
  expect(await screen.findByText("End of mission activities")).toBeInTheDocument();
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
});

test("an empty or failed history shows that nothing was found", async () => {
  site(kestrel(), (url) =>
    url.pathname.endsWith("/activity") ? { status: 500, error: "x", code: "INTERNAL" } : undefined,
  );
  await renderPage("/player/Kestrel/recent-activity?filter=vehicles");
  expect(await screen.findByText("No vehicle activities found for this player")).toBeInTheDocument();
});

test("weapons are shown in a table, initially four", async () => {
  const data = [9, 8, 7, 6, 5].map((kills) => ({ id: `w${kills}`, name: `Gun ${kills}`, kills }));
  site(kestrel(), (url) => (url.pathname.endsWith("/weapons") ? { data } : undefined));
  await renderPage("/player/Kestrel/weapons");
  expect(await screen.findByRole("row", { name: "Gun 9 Weapon 25.7% 9" })).toBeInTheDocument();
  expect(screen.getByText("Gun 9").closest("[translate=no]")).not.toBeNull();
  expect(screen.getAllByRole("row")).toHaveLength(5);
  await userEvent.click(screen.getByRole("button", { name: "Show all 5" }));
  expect(screen.getAllByRole("row")).toHaveLength(6);
});

const career = {
  career: 27,
  rank_career: 1,
  progress: { level: 2, currentXP: 7, nextLevelXP: 40, percent: 17.5 },
  contracts_completed: 1,
  universe_time: 7_920,
  ships_flown: 1,
  rank_ships_flown: null,
  longest_life: 4_320,
  deaths: 0,
  survival: null,
  downed: 2,
  ship_crashes: 0,
  game_crashes: 1,
  contract_success: 50,
  contract_duration: 400,
  days: [{ day: "2026-10-01", universe_time: 3_600, contracts: 1, career: 15 }],
  givers: [{ giver: "Covalex", completed: 1, failed: 1, abandoned: 0, duration: 400, success: 50 }],
  ships: [{ id: "zzzz_kite", name: "Kite", uses: 3, timed: 1_000, last_flown: 1_790_000_000 }],
  blueprints_received: 1,
  blueprints: [{ name: "Racing Helmet", received_at: 1_790_000_000 }],
  records: { longest_stay: 7_920, most_contracts_in_a_day: 1, quickest: [{ kind: "Hauling", seconds: 600 }] },
  stickers: [{ id: "340671", earned_at: 1_790_000_000 }],
  pay: { total: 28_375, payouts: 1 },
  places: null,
};

test("the profile of a player without kills opens on the career", async () => {
  site(kestrel({ opens_on_career: true }), (url) => (url.pathname.endsWith("/career") ? { data: career } : undefined));
  await renderPage("/player/Kestrel");
  expect(await screen.findByRole("row", { name: "Covalex 1 1 0 6m 50.0%" })).toBeInTheDocument();
  expect(screen.getAllByRole("link", { name: /^(Career|Overview)$/ }).map((link) => link.getAttribute("href"))).toEqual(
    ["/player/Kestrel", "/player/Kestrel/overview"],
  );
  expect(screen.getByText("at least 28,375 aUEC")).toBeInTheDocument();
  expect(within(screen.getByRole("region", { name: "Stickers" })).getAllByRole("listitem")).toHaveLength(1);
  expect(screen.queryByText("Places visited")).not.toBeInTheDocument();
  expect(screen.getByRole("row", { name: "Oct 1, 2026 1h 1" })).toBeInTheDocument();
});

test("a career that comes first is the rank of the profile, and says why", async () => {
  openRankingsOnCareer("No kills, no score.");
  site(kestrel({ opens_on_career: true, rank_career: 3 }), (url) =>
    url.pathname.endsWith("/career") ? { data: career } : undefined,
  );
  await renderPage("/player/Kestrel");
  expect(await screen.findByText("No kills, no score.")).toBeInTheDocument();
  expect(screen.getByText("Career Rank 3")).toBeInTheDocument();
  expect(screen.queryByText("Top 1.3%")).not.toBeInTheDocument();
});

test("a career without anything says what appears there", async () => {
  const none = { ...career, career: 0, contracts_completed: 0, universe_time: 0, ships_flown: 0, givers: [] };
  const empty = { ...none, ships: [], blueprints_received: 0, blueprints: [] };
  site(kestrel(), (url) => (url.pathname.endsWith("/career") ? { data: empty } : undefined));
  await renderPage("/player/Kestrel/career");
  expect(await screen.findByText("No career recorded")).toBeInTheDocument();
});

const settings = {
  settings: {
    profile_image: null,
    banner_image: null,
    is_profile_hidden: false,
    profile_settings: '{"stickers":[1,2]}',
  },
  unlockedStickers: ["A", "B", "C"].map((name, index) => ({
    id: index + 1,
    name: `Sticker ${name}`,
    description: "",
    rarity: "common",
    requirement: "Be good",
    category: "social",
    image: "",
    unlocked: true,
  })),
};

test("saving a profile only sends changes", async () => {
  signIn();
  site(kestrel(), (url) => {
    if (url.pathname.startsWith("/api/player/settings/handle/")) return settings;
    return url.pathname === "/api/player/settings" ? {} : undefined;
  });
  const { address } = await renderPage("/player/Kestrel?edit=profile");
  await userEvent.click(await screen.findByRole("button", { name: "Save" }));
  expect(screen.getByText("No changes detected")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("checkbox", { name: /Hide profile/ }));
  await userEvent.click(screen.getByRole("checkbox", { name: /Share contract pay/ }));
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Profile settings saved successfully!")).toBeInTheDocument();
  const sent = requests.find(([method, url]) => method === "POST" && url.pathname === "/api/player/settings");
  expect(JSON.parse(String(sent?.[2].body))).toEqual({
    discordId: "1",
    handle: "Kestrel",
    profile_hidden: true,
    sharing: { pay: true },
  });
  await waitFor(() => expect(address().search).toBe(""));
});

test("stickers are added, moved and removed by keyboard", async () => {
  signIn();
  site(kestrel(), (url) => {
    if (url.pathname.startsWith("/api/player/settings/handle/")) return settings;
    return url.pathname === "/api/player/settings/stickers" ? {} : undefined;
  });
  await renderPage("/player/Kestrel?edit=stickers");
  const slots = within(await screen.findByRole("group", { name: "Slots on your profile" }));
  expect(slots.getByRole("button", { name: /^Slot 2: Sticker B/ })).toBeInTheDocument();
  screen.getByRole("button", { name: /^Sticker C/ }).focus();
  await userEvent.keyboard("{Enter}");
  slots.getByRole("button", { name: /^Slot 1: Sticker A/ }).focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(slots.getByRole("button", { name: /^Slot 2: Sticker A/ })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Save Changes" }));
  await waitFor(() => {
    const sent = requests.find(([, url]) => url.pathname === "/api/player/settings/stickers");
    expect(JSON.parse(String(sent?.[2].body))).toEqual({ playerHandle: "Kestrel", stickers: ["2", "3"] });
  });
});

test("a locked sticker cannot be put into a slot", async () => {
  signIn();
  const locked = { ...settings.unlockedStickers[0], id: 4, name: "Pioneer", unlocked: false };
  const listed = { ...settings, unlockedStickers: [...settings.unlockedStickers, locked] };
  site(kestrel(), (url) => (url.pathname.startsWith("/api/player/settings/handle/") ? listed : undefined));
  await renderPage("/player/Kestrel?edit=stickers");
  await userEvent.click(await screen.findByRole("button", { name: /^Pioneer/ }));
  expect(screen.getByRole("button", { name: "Slot 3: empty" })).toBeInTheDocument();
});
