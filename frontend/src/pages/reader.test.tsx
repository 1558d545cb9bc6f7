import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import english from "../../../locales/en/reader.json";
import type { ReaderPage, ReaderState } from "../api/reader";
import { mockApi, renderWithProviders } from "../test/render-page";
import Reader from "./reader";

const state: ReaderState = {
  language: "en",
  server: "https://stats.test",
  is_connected: true,
  is_agreed: true,
  is_paused: false,
  notice: ["Sent to https://stats.test: your handle."],
  logs: [{ path: "/game/LIVE/Game.log", is_followed: true }],
  hide: [],
  skips_backups: false,
  sends_samples: false,
  samples: { patch: "ALPHA 4.9.0", samples: [{ line: "<Actor Death> 'x' [0]", count: 3 }] },
  evening: {
    player: "Ada_Quill",
    player_kills: 2,
    npc_kills: 0,
    deaths: 0,
    vehicles: 4,
    contracts_completed: 3,
    contracts: [{ mission_id: "a", title: "Small Cargo Haul", accepted_at: 1_744_385_700_000 }],
    payouts: 0,
    pay: 0,
    died_at: null,
    ship: "Gladius",
    ship_crashes: 1,
    game_crashes: 2,
    game: { ended_ms: 7_200_000, since: null },
    universe: { ended_ms: 5_400_000, since: null },
    seat: { ended_ms: 605_000, since: null },
  },
  reach: {
    clocks: "shared",
    contracts: "shared",
    pay: "local",
    kills: "shared",
    vehicles: "hidden",
    ship: "shared",
    crashes: "shared",
  },
  upload: { waiting: 0, sent: 21, unclaimed: [], trouble: null, is_key_refused: false },
  notes: [],
  login: null,
};
const page: ReaderPage = {
  state,
  rows: [
    { id: 2, at: 1_744_385_768_178, kind: "pve", mode: "PU", text: "Ada_Quill killed a grunt" },
    { id: 1, at: 1_744_385_700_000, kind: "sessions", mode: null, text: "Ada_Quill logged in" },
  ],
  languages: [
    { code: "en", name: "English" },
    { code: "de", name: "Deutsch" },
  ],
  words: english,
  kinds: ["pvp", "pve", "deaths", "vehicles", "seats", "missions", "sessions"],
  version: "0.1.0",
  grammar: 1,
};

/** Mocks the reader's API and records the requested changes. */
function reader(over: Partial<ReaderState>): unknown[] {
  const changes: unknown[] = [];
  let now = { ...state, ...over };
  mockApi((url, request) => {
    if (!url.pathname.startsWith("/api/reader/page")) return undefined;
    if (request.method !== "POST") return { ...page, state: now };
    const change = JSON.parse(request.body);
    changes.push(change);
    if (change.add_log) return { status: 400, success: false, error: "Folder or log not found.", code: "VALIDATION" };
    now = { ...now, ...change, ...(change.agree ? { is_agreed: true } : {}) };
    return { state: now };
  });
  renderWithProviders(<Reader />);
  return changes;
}

test("events are listed newest first and can be filtered by kind", async () => {
  reader({});
  const feed = await screen.findByRole("region", { name: "Feed" });
  const texts = () =>
    within(feed)
      .getAllByRole("listitem")
      .map((row) => row.textContent);
  expect(texts()[0]).toContain("Ada_Quill killed a grunt");
  await userEvent.selectOptions(within(feed).getByLabelText("Show"), "Logins and logouts");
  expect(texts()).toHaveLength(1);
  await userEvent.selectOptions(within(feed).getByLabelText("Show"), "Contracts");
  expect(within(feed).getByText("No events of this kind yet.")).toBeVisible();
  expect(screen.queryByText("Set up in a minute")).toBeNull();
});

test("the figures of the evening say whether they leave this computer", async () => {
  reader({});
  const session = await screen.findByRole("region", { name: /^This session/ });
  const cells = [...session.querySelectorAll("dl > div")].map((cell) =>
    [...cell.children].map(({ textContent }) => textContent),
  );
  expect(cells).toEqual([
    ["In the universe", "1:30:00", "shared"],
    ["Menu and loading", "30:00", "shared"],
    ["Contracts per hour", "2.0", "Completed: 3", "shared"],
    ["Pay so far", "No payout notices in this log", "stays on this computer"],
    ["Since the last death", "No death yet", "shared"],
    ["At the controls", "10:05", "Gladius", "shared"],
    ["Crashes", "3", "Ships: 1, game: 2", "shared"],
    ["Players killed", "2", "shared"],
  ]);
  const contracts = within(screen.getByRole("region", { name: /^Open contracts/ }));
  expect(contracts.getByText("Small Cargo Haul")).toBeVisible();
});

test("uploads can be paused, kinds of events excluded and unknown lines sent", async () => {
  const changes = reader({});
  await userEvent.click(await screen.findByRole("button", { name: "Pause" }));
  expect(await screen.findByText("Uploading is paused.")).toBeVisible();
  await userEvent.click(screen.getByRole("checkbox", { name: "Seats taken" }));
  await userEvent.click(screen.getByText(/Unknown lines/));
  expect(screen.getByText("<Actor Death> 'x' [0]")).toBeVisible();
  await userEvent.click(screen.getByRole("checkbox", { name: /Send them to the site/ }));
  expect(changes).toEqual([{ is_paused: true }, { hide: ["seats"] }, { sends_samples: true }]);
});

test("each player whom nobody has claimed is shown with a link to the claim", async () => {
  const claim = "https://stats.test/player/claim?handle=";
  const unclaimed = [
    { handle: "Ada_Quill", url: `${claim}Ada_Quill`, waiting: 1_234 },
    { handle: "Space-Man", url: `${claim}Space-Man`, waiting: 7 },
  ];
  reader({ upload: { ...state.upload, waiting: 1_241, unclaimed } });
  const upload = within(await screen.findByRole("region", { name: "Upload" }));
  expect(upload.getByText("Queued events: 1,241")).toBeVisible();
  expect(upload.getAllByText(/^Nobody has claimed/)[0]).toHaveTextContent(
    "Nobody has claimed Ada_Quill on the site. Events that wait for the claim: 1,234",
  );
  for (const name of upload.getAllByText("Ada_Quill")) expect(name.closest("[translate=no]")).not.toBeNull();
  const links = upload.getAllByRole("link", { name: /^Claim / });
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["Claim Ada_Quill", `${claim}Ada_Quill`],
    ["Claim Space-Man", `${claim}Space-Man`],
  ]);
});

test("nothing about claims is shown while no events wait for one", async () => {
  reader({});
  const upload = within(await screen.findByRole("region", { name: "Upload" }));
  expect(upload.getByText("All events are uploaded.")).toBeVisible();
  expect(upload.queryByText(/claim/i)).toBeNull();
});

test("an unknown folder shows the reader's error message", async () => {
  reader({ logs: [] });
  await userEvent.type(await screen.findByPlaceholderText(/Folder of the game/), "/nowhere");
  await userEvent.click(screen.getByRole("button", { name: "Add folder" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Folder or log not found.");
});
