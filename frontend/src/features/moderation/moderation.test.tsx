import { act, fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { AdminReport, ModerationEntry } from "../../api/types";
import { historyEntry } from "../../test/fixtures";
import { mockApi, renderWithProviders } from "../../test/render-page";
import Moderation from "./moderation";

afterEach(() => vi.useRealTimers());

const report = (event: number, more: Partial<AdminReport> = {}): AdminReport => ({
  event,
  event_time: 1_767_225_600,
  received_at: null,
  identifier: "kill",
  state: "counted",
  key: 12,
  killer: "Ann-1",
  victim: "Bob-1",
  player: null,
  ...more,
});

interface Site {
  entries?: ModerationEntry[];
  /** The pages of the list of reports. */
  reports?: AdminReport[][];
  /** Responses that replace those of a method and a path. */
  replies?: Record<string, object>;
}

/** Serves moderation. Returns the requests that are sent, with their bodies. */
function moderation({ entries = [], reports = [[]], replies = {} }: Site = {}): string[] {
  const calls: string[] = [];
  mockApi((url, { method, body }) => {
    calls.push(`${method} ${url.pathname}${url.search} ${body}`.trim());
    const reply = replies[`${method} ${url.pathname}`];
    if (reply) return reply;
    if (method === "POST") return { entry: historyEntry(9) };
    if (url.pathname === "/api/admin/moderation") return { data: entries, next: null };
    const page = Number(url.searchParams.get("after") ?? 0);
    const total = reports.flat().length;
    return { total, data: reports[page] ?? [], next: page + 1 < reports.length ? page + 1 : null };
  });
  return calls;
}

const posts = (calls: string[]) => calls.filter((call) => call.startsWith("POST"));
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const choose = (name: string, option: string) =>
  userEvent.selectOptions(screen.getByRole("combobox", { name }), option);
const fill = (label: string, text: string) => userEvent.type(screen.getByLabelText(label), text);

test("a key is blocked with a reason, and the history shows the entry", async () => {
  const calls = moderation();
  renderWithProviders(<Moderation />);
  await screen.findByText("No actions yet.");
  await fill("Key number", "key 12");
  expect(button("Block key")).toBeDisabled();
  await fill("Reason", " Made up. {Enter}");
  expect(await screen.findByRole("textbox", { name: "Reason" })).toHaveValue("");
  expect(posts(calls)).toEqual([
    'POST /api/admin/moderation {"action":"block","target":{"key":12},"reason":"Made up."}',
  ]);
  await expect.poll(() => calls.filter((call) => call.startsWith("GET /api/admin/moderation?")).length).toBe(2);
  expect(screen.getByLabelText("Key number")).toHaveValue("");
  expect(button("Block key")).toBeDisabled();
});

test.each([
  ["Unblock", "Account", { "Discord id": "80351110224678912" }, { account: "80351110224678912" }],
  ["Remove", "Event", { "Event number": "7" }, { event: 7 }],
  ["Restore", "Event", { "Event number": "7" }, { event: 7 }],
  ["Pin", null, { Patch: "4.3.2" }, { patch: "4.3.2" }],
  ["Rename", null, { Handle: "Ann-1", "New handle": "Ann-2" }, { player: "Ann-1" }],
  ["Merge", null, { Handle: "Ann-1", "Into the player": "Bob-1" }, { player: "Ann-1" }],
] as const)("the action %s sends its target", async (action, kind, fields, target) => {
  const calls = moderation();
  renderWithProviders(<Moderation />);
  await choose("Action", action);
  if (kind) await choose("Target", kind);
  else expect(screen.queryByRole("combobox", { name: "Target" })).toBeNull();
  const submit = button(new RegExp(`^${action} `));
  await fill("Reason", "Made up.");
  for (const [label, text] of Object.entries(fields)) {
    expect(submit).toBeDisabled();
    await fill(label, text);
  }
  await userEvent.click(submit);
  const [, handle] = Object.values(fields);
  const body = { action: action.toLowerCase(), target, handle, reason: "Made up." };
  expect(posts(calls)).toEqual([`POST /api/admin/moderation ${JSON.stringify(body)}`]);
});

test("reports are removed only after they were listed", async () => {
  const calls = moderation({
    reports: [[report(2)], [report(1, { killer: null, victim: null, player: "Eve", key: null })]],
  });
  renderWithProviders(<Moderation />);
  await choose("Action", "Remove");
  await choose("Target", "Player's own log");
  expect(button("Show reports")).toBeDisabled();
  await fill("Handle", "Ann-1");
  const [from, until] = ["2026-01-01T10:00", "2026-01-02T10:00"];
  fireEvent.change(screen.getByLabelText("From"), { target: { value: from } });
  fireEvent.change(screen.getByLabelText("Until"), { target: { value: until } });
  await fill("Reason", "Made up.");
  expect(button("Remove reports")).toBeDisabled();
  await userEvent.click(button("Show reports"));
  expect(await screen.findByText("2 reports")).toBeInTheDocument();
  const list = screen.getByRole("list", { name: "Reports" });
  expect(within(list).getByRole("listitem")).toHaveTextContent(/Ann-1 → Bob-1kill · key 12Counts$/);
  expect(within(list).getByRole("link")).toHaveAttribute("href", "/event/2");
  await userEvent.click(button("Show more"));
  await expect.poll(() => within(list).getAllByRole("listitem").length).toBe(2);
  expect(within(list).getAllByRole("listitem")[1]).toHaveTextContent(/EvekillCounts$/);
  await userEvent.click(button("Remove 2 reports"));
  const seconds = [from, until].map((time) => new Date(time).getTime() / 1000);
  expect(calls.filter((call) => call.includes("/api/admin/reports"))).toEqual([
    `GET /api/admin/reports?player=Ann-1&from=${seconds[0]}&until=${seconds[1]}&limit=50`,
    `GET /api/admin/reports?player=Ann-1&from=${seconds[0]}&until=${seconds[1]}&after=1&limit=50`,
  ]);
  const target = { player: "Ann-1", from: seconds[0], until: seconds[1] };
  expect(posts(calls)).toEqual([
    `POST /api/admin/moderation ${JSON.stringify({ action: "remove", target, reason: "Made up." })}`,
  ]);
});

test("any change of the target hides the listed reports", async () => {
  moderation({ reports: [[report(1)]] });
  renderWithProviders(<Moderation />);
  await choose("Action", "Remove");
  await choose("Target", "Key");
  await fill("Reason", "Made up.");
  await fill("Key number", "1");
  const changes: (() => unknown)[] = [
    () => fill("Key number", "3"),
    () => fireEvent.change(screen.getByLabelText("From"), { target: { value: "2026-01-01T10:00" } }),
    () => fireEvent.change(screen.getByLabelText("Until"), { target: { value: "2026-01-02T10:00" } }),
    () => choose("Target", "Player's own log"),
  ];
  for (const change of changes) {
    await userEvent.click(button("Show reports"));
    expect(await screen.findByRole("button", { name: "Remove 1 report" })).toBeEnabled();
    await change();
    expect(screen.queryByRole("list", { name: "Reports" })).toBeNull();
    expect(button("Remove reports")).toBeDisabled();
  }
});

test("without matching reports there is nothing to remove", async () => {
  moderation();
  renderWithProviders(<Moderation />);
  await choose("Action", "Remove");
  await choose("Target", "Key");
  await fill("Key number", "12");
  await fill("Reason", "Made up.");
  await userEvent.click(button("Show reports"));
  expect(await screen.findByText("No reports match.")).toBeInTheDocument();
  expect(button("Remove 0 reports")).toBeDisabled();
});

test("a failed action says why and keeps the input", async () => {
  const replies = {
    "POST /api/admin/moderation": { status: 404, error: "No ingest key has the id 12.", code: "NOT_FOUND" },
  };
  moderation({ replies });
  renderWithProviders(<Moderation />);
  await fill("Key number", "12");
  await fill("Reason", "Made up.");
  await userEvent.click(button("Block key"));
  expect(await screen.findByRole("alert")).toHaveTextContent("No ingest key has the id 12.");
  expect(button("Block key")).toBeEnabled();
});

test("each entry of the history reads as a sentence with its state", async () => {
  moderation({
    entries: [
      historyEntry(8, { state: "running", done: 500 }),
      historyEntry(7, { state: "running", done: 0, undone_at: 1_767_268_900 }),
      historyEntry(6, { action: "remove", target: "event 7" }),
      historyEntry(5, { action: "remove", target: "account 8", from: 1_767_225_600 }),
      historyEntry(4, { action: "restore", target: "Ann-1", undone_at: 1_767_268_900 }),
      historyEntry(3, { action: "pin", target: "4.3.2" }),
      historyEntry(2, { action: "rename", target: "Ann-1", handle: "Ann-2" }),
      historyEntry(1, { action: "merge", target: "Ann-1", handle: "Bob-1" }),
    ],
  });
  renderWithProviders(<Moderation />);
  const history = within(await screen.findByRole("list", { name: "History" }));
  const texts = history.getAllByRole("listitem");
  for (const [index, text] of [
    /^Blocked key 128 · .* · Made up\.Running: 500 of 1,234$/,
    /Undoing: 0 of 1,234$/,
    /^Removed event 76 · .*Undo$/,
    /^Removed the reports of account 8 from .*Undo$/,
    /^Restored the reports of Ann-14 · .*Undone /,
    /^Pinned 4\.3\.23 · /,
    /^Renamed Ann-1 to Ann-22 · /,
    /^Merged Ann-1 into Bob-11 · /,
  ].entries()) {
    expect(texts[index]).toHaveTextContent(text);
  }
  expect(history.getByRole("progressbar", { name: "Progress of entry 8" })).toHaveValue(500);
  expect(history.getByRole("link", { name: "Bob-1" })).toHaveAttribute("href", "/player/Bob-1");
  const undoable = history.getAllByRole("button").map((one) => one.getAttribute("aria-label"));
  expect(undoable).toEqual([6, 5, 3, 2, 1].map((id) => `Undo entry ${id}`));
});

test("one click undoes an entry, and a failure says why", async () => {
  const path = "POST /api/admin/moderation/2/undo";
  const replies: Record<string, object> = {
    [path]: { status: 409, error: "Entry 2 is undone already.", code: "CONFLICT" },
  };
  const entries = [historyEntry(2)];
  const calls = moderation({ entries, replies });
  renderWithProviders(<Moderation />);
  await userEvent.click(await screen.findByRole("button", { name: "Undo entry 2" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Entry 2 is undone already.");
  delete replies[path];
  entries[0] = historyEntry(2, { undone_at: 1_767_268_900 });
  await userEvent.click(button("Undo entry 2"));
  expect(await screen.findByText(/^Undone /)).toBeInTheDocument();
  expect(posts(calls)).toEqual([path, path]);
});

test("a running entry is refetched every two seconds until it is done", async () => {
  vi.useFakeTimers();
  const entries = [historyEntry(1, { state: "running", done: 0 })];
  const calls = moderation({ entries });
  renderWithProviders(<Moderation />);
  await act(() => vi.advanceTimersByTimeAsync(1_500));
  expect(calls).toHaveLength(1);
  entries[0] = historyEntry(1, { state: "running", done: 1_000 });
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(calls).toHaveLength(2);
  expect(screen.getByText("Running: 1,000 of 1,234")).toBeInTheDocument();
  entries[0] = historyEntry(1);
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(calls).toHaveLength(3);
  expect(button("Undo entry 1")).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(calls).toHaveLength(3);
});

test("a failed list shows its error and can be requested again", async () => {
  const replies: Record<string, object> = {
    "GET /api/admin/moderation": { status: 403, error: "This is for admins.", code: "FORBIDDEN" },
    "GET /api/admin/reports": { status: 404, error: "No ingest key has the id 12.", code: "NOT_FOUND" },
  };
  moderation({ replies });
  renderWithProviders(<Moderation />);
  expect(await screen.findByText("The history could not be loaded.")).toBeInTheDocument();
  await choose("Action", "Restore");
  await choose("Target", "Key");
  await fill("Key number", "12");
  await userEvent.click(button("Show reports"));
  expect(await screen.findByText("The reports could not be loaded.")).toBeInTheDocument();
  expect(screen.getByText("No ingest key has the id 12.")).toBeInTheDocument();
  for (const path of Object.keys(replies)) delete replies[path];
  for (const retry of screen.getAllByRole("button", { name: "Try again" })) await userEvent.click(retry);
  expect(await screen.findByText("No actions yet.")).toBeInTheDocument();
  expect(await screen.findByText("No reports match.")).toBeInTheDocument();
});
