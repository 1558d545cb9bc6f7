import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { guildRow, playerRow } from "../test/fixtures";
import { mockApi, openRankingsOnCareer, renderPage } from "../test/render-page";

const PATCH = {
  patch: "ALPHA 4.9",
  stats: {
    npc_kills: 1_284_512,
    player_kills: 342_871,
    vehicle_destructions: 98_231,
    most_used_vehicle: { name: "Drake Cutlass Black", uses: 48_210 },
    most_used_weapon: { name: "P4-AR Rifle", uses: 12 },
    most_common_mission: { name: "Deep space hit", accepted: 10, completed: 7 },
  },
};

const CAREER = {
  contracts_completed: 5,
  universe_time: 90_000,
  ships_flown: 12,
  top_giver: { name: "Covalex", uses: 4 },
  loading_time: 63,
  crashes_per_100_hours: null,
};
const WITHOUT_KILLS = {
  patch: "ALPHA 4.10",
  stats: {
    npc_kills: 0,
    player_kills: 0,
    vehicle_destructions: 0,
    most_used_vehicle: null,
    most_used_weapon: null,
    most_common_mission: null,
    career: CAREER,
  },
};

const ALL: Record<string, object> = {
  "/api/players/top": { players: [playerRow(1)] },
  "/api/guilds/leaderboard": { data: [guildRow(1)] },
  "/api/stats/counts": { players: 42, orgs: 7 },
  "/api/patch": { data: PATCH },
};

/** Renders the page with these responses in place of the defaults, and waits until it is ready. */
async function open(instead: Record<string, object | Error> = {}) {
  const answers = { ...ALL, ...instead };
  mockApi((url) => answers[url.pathname]);
  const page = await renderPage("/");
  await waitFor(() => expect(screen.queryByText("Loading Apogee...")).toBeNull());
  return page;
}

function allowMotion() {
  const original = window.matchMedia;
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  HTMLMediaElement.prototype.play = () => Promise.resolve();
  HTMLMediaElement.prototype.pause = () => {};
  return () => vi.stubGlobal("matchMedia", original);
}

let restoreMatchMedia = () => {};
afterEach(() => {
  restoreMatchMedia();
  restoreMatchMedia = () => {};
  vi.useRealTimers();
});

test("counters, cards and lists show the data and link to its pages", async () => {
  await open();
  expect(screen.getByText("Players found").nextSibling).toHaveTextContent("42");
  expect(screen.getByText("Guilds Tracked").nextSibling).toHaveTextContent("7");
  const players = screen.getByRole("region", { name: "Top Players" });
  expect(within(players).getByRole("link", { name: "Pilot_1" })).toHaveAttribute("href", "/player/pilot_1");
  expect(within(players).getByRole("link", { name: "View All Players" })).toHaveAttribute("href", "/players");
  expect(screen.getByRole("link", { name: "View All" })).toHaveAttribute("href", "/guilds");
  expect(screen.getByRole("link", { name: "View All Guilds" })).toHaveAttribute("href", "/guilds");
  const patch = screen.getByRole("region", { name: "ALPHA 4.9" });
  expect(patch).toHaveTextContent("NPC Eliminated1.3M1,284,512");
  expect(patch).toHaveTextContent("Drake Cutlass Black48.2k48,2");
  expect(patch).toHaveTextContent("10 accepted · 7 completed");
});

test("lists are ordered by career where rankings open on it, and the page tells why", async () => {
  openRankingsOnCareer("No kills, no score.");
  const requests: (string | null)[] = [];
  mockApi((url) => {
    if (/top|leaderboard/.test(url.pathname)) requests.push(url.searchParams.get("sortBy"));
    return { ...ALL, "/api/players/top": { players: [playerRow(1, { career: 777 })] } }[url.pathname];
  });
  await renderPage("/");
  expect(await screen.findByText("777")).toBeInTheDocument();
  expect(screen.getByText("No kills, no score.")).toBeInTheDocument();
  expect(new Set(requests)).toEqual(new Set(["career"]));
});

test("the list of guilds continues after the cards", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => guildRow(index + 1));
  await open({ "/api/guilds/leaderboard": { data: rows } });
  const links = (name: string) =>
    within(screen.getByRole("region", { name }))
      .getAllByRole("listitem")
      .map((item) => within(item).getByRole("link").getAttribute("href"));
  expect(links("Leading guilds")).toEqual([1, 2, 3, 4, 5].map((rank) => `/guild/ORG${rank}`));
  expect(links("Top Guilds")).toEqual([6, 7, 8, 9, 10].map((rank) => `/guild/ORG${rank}`));
});

test("a list whose guilds are all on cards explains it", async () => {
  await open();
  expect(
    within(screen.getByRole("region", { name: "Top Guilds" })).getByText(/every guild with a score/),
  ).toBeVisible();
});

test("a hanging call does not keep the cover forever", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    mockApi((url) => (url.pathname === "/api/patch" ? new Promise(() => {}) : ALL[url.pathname]));
    await renderPage("/");
    expect(await screen.findByText("Loading Apogee...")).toBeInTheDocument();
    await screen.findByRole("link", { name: "Pilot_1", hidden: true });
    expect(screen.getByText("Loading Apogee...")).toBeInTheDocument();
    await act(() => vi.advanceTimersByTimeAsync(6_000));
    expect(screen.queryByText("Loading Apogee...")).toBeNull();
    expect(screen.getByRole("link", { name: "Pilot_1" })).toBeInTheDocument();
  } finally {
    vi.useRealTimers();
  }
});

test("Enter in the search goes to what was typed, by type", async () => {
  const { address } = await open();
  const field = screen.getByPlaceholderText("Enter Player Handle");
  expect(screen.getByText("Search by Player Handle")).toBeInTheDocument();
  await userEvent.selectOptions(within(screen.getByRole("main")).getByLabelText("Search for"), "Guild");
  await userEvent.type(screen.getByPlaceholderText("Enter Guild Name or Tag"), "nova{Enter}");
  expect(address().pathname).toBe("/guild/NOVA");
  await waitFor(() => expect(field).not.toBeInTheDocument());
});

test("a broken picture leaves a plain background", async () => {
  const { container } = await open();
  for (const image of container.querySelectorAll('img[src^="/static/images/home-"]')) fireEvent.error(image);
  expect(container.querySelector('img[src^="/static/images/home-"]')).toBeNull();
});

test.each(["error", "stalled"])("a video that reports %s is removed", async (event) => {
  restoreMatchMedia = allowMotion();
  const { container } = await open({ "/static/videos/home.mp4": {} });
  await waitFor(() => expect(container.querySelectorAll("video")).toHaveLength(1));
  fireEvent(container.querySelector("video") as Element, new Event(event));
  expect(container.querySelectorAll("video")).toHaveLength(0);
});

test("a video that is not ready within five seconds is removed", async () => {
  restoreMatchMedia = allowMotion();
  vi.useFakeTimers();
  mockApi((url) => ({ ...ALL, "/static/videos/patch.mp4": {} })[url.pathname]);
  const { container } = await renderPage("/");
  await act(() => vi.advanceTimersByTimeAsync(4_900));
  expect(container.querySelectorAll("video")).toHaveLength(1);
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(container.querySelectorAll("video")).toHaveLength(0);
});

test("a patch without kills shows contracts, time and ships", async () => {
  await open({ "/api/patch": { data: WITHOUT_KILLS } });
  expect(await screen.findByText("Covalex")).toBeInTheDocument();
  for (const label of ["Contracts completed", "Universe hours", "Ships flown", "Median loading time"])
    expect(screen.getByText(label)).toBeInTheDocument();
  expect(screen.getByText("63 s")).toBeInTheDocument();
  expect(screen.getByText("From five players on")).toBeInTheDocument();
  expect(screen.queryByText("NPC Eliminated")).not.toBeInTheDocument();
});
