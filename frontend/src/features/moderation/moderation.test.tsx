import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { HistoryEntry } from "../../api/moderation";
import type { AdminEvent, ModerationPreview } from "../../api/types";
import { historyEntry } from "../../test/fixtures";
import { mockApi, renderWithProviders } from "../../test/render-page";
import Moderation from "./moderation";

afterEach(() => vi.useRealTimers());

const PREVIEW: ModerationPreview = {
  events: 1_234,
  reports: 1_300,
  players: 2,
  effect: [
    { handle: "Ann-1", before: 100, after: 90 },
    { handle: "Bob-1", before: 5_000, after: 3_000 },
  ],
};

const adminEvent = (id: number, more: Partial<AdminEvent> = {}): AdminEvent => ({
  id,
  event_time: 1_767_225_600,
  received_at: null,
  identifier: "kill",
  state: "stands",
  grade: "self_reported",
  key: { id: 12, name: "Gaming PC" },
  reports: 1,
  killer: "Ann-1",
  victim: "Bob-1",
  player: null,
  ...more,
});

interface Site {
  entries?: HistoryEntry[];
  /** The pages of the event list. */
  events?: AdminEvent[][];
  /** Responses that replace those of a path, or of a method and a path. */
  replies?: Record<string, object>;
}

/** Serves moderation. Returns the requests that are sent, with their bodies. */
function moderation({ entries = [], events = [[]], replies = {} }: Site = {}): string[] {
  const calls: string[] = [];
  mockApi((url, { method, body }) => {
    calls.push(`${method} ${url.pathname}${url.search} ${body}`.trim());
    const reply = replies[`${method} ${url.pathname}`] ?? replies[url.pathname];
    if (reply) return reply;
    if (method === "GET" && url.pathname === "/api/admin/moderation") return { data: entries, next: null };
    if (url.pathname === "/api/admin/moderation/preview") return PREVIEW;
    if (url.pathname === "/api/admin/events") {
      const page = Number(url.searchParams.get("before") ?? 0);
      return { data: events[page] ?? [], next: page + 1 < events.length ? page + 1 : null };
    }
    return { entry: historyEntry(9) };
  });
  return calls;
}

const posts = (calls: string[]) => calls.filter((call) => call.startsWith("POST"));
const section = (name: string) => within(screen.getByRole("region", { name }));
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const dialog = () => within(screen.getByRole("dialog"));

async function fillIn(value: string, reason = "Made up.") {
  const form = section("New action");
  await userEvent.type(form.getByRole("textbox", { name: /Key number|Discord id|Handle|Event ids/ }), value);
  await userEvent.type(form.getByRole("textbox", { name: "Reason" }), reason);
}

test("an action runs only after its effect was shown and confirmed", async () => {
  const calls = moderation();
  renderWithProviders(<Moderation />);
  await screen.findByText("No actions yet.");
  expect(button("Show effect")).toBeDisabled();
  expect(button("Void events")).toBeDisabled();
  await fillIn("12");
  expect(button("Void events")).toBeDisabled();
  await userEvent.click(button("Show effect"));
  await userEvent.click(await screen.findByRole("button", { name: "Void 1,234 events" }));
  expect(posts(calls)).toEqual(['POST /api/admin/moderation/preview {"action":"void","select":{"key":12}}']);
  await userEvent.click(dialog().getByRole("button", { name: "Cancel" }));
  await userEvent.click(button("Void 1,234 events"));
  await userEvent.click(dialog().getByRole("button", { name: "Void" }));
  await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
  expect(posts(calls)).toHaveLength(2);
  expect(posts(calls)[1]).toBe('POST /api/admin/moderation {"action":"void","select":{"key":12},"reason":"Made up."}');
  // The form is empty again, and the history is fetched with the new entry.
  expect(button("Void events")).toBeDisabled();
  expect(screen.getByRole("textbox", { name: "Key number" })).toHaveValue("");
  await expect.poll(() => calls.filter((call) => call.startsWith("GET /api/admin/moderation?")).length).toBe(2);
});

test("the effect lists counts and scores, largest change first", async () => {
  moderation();
  renderWithProviders(<Moderation />);
  await fillIn("12");
  await userEvent.click(button("Show effect"));
  const effect = within(await screen.findByRole("region", { name: "Effect" }));
  expect(effect.getByText("1,300")).toBeInTheDocument();
  const [, first, second] = effect.getAllByRole("row");
  expect(first).toHaveTextContent("Bob-15,0003,000-2,000");
  expect(second).toHaveTextContent("Ann-110090-10");
});

test("any change of the input discards the effect", async () => {
  moderation();
  renderWithProviders(<Moderation />);
  await fillIn("12");
  const form = section("New action");
  const changes: (() => Promise<void>)[] = [
    () => userEvent.selectOptions(form.getByRole("combobox", { name: "Action" }), "Hold"),
    () => userEvent.type(form.getByRole("textbox", { name: "Key number" }), "3"),
    () => userEvent.type(form.getByLabelText("From (UTC)"), "2026-01-01"),
    () => userEvent.type(form.getByLabelText("Until (UTC)"), "2026-01-31"),
    () => userEvent.type(form.getByRole("textbox", { name: "Reason" }), "!"),
  ];
  for (const change of changes) {
    await userEvent.click(button("Show effect"));
    expect(await screen.findByRole("region", { name: "Effect" })).toBeInTheDocument();
    await change();
    expect(screen.queryByRole("region", { name: "Effect" })).toBeNull();
    expect(button(/^(Void|Hold) events$/)).toBeDisabled();
  }
});

test("an effect that arrives after a change is not shown", async () => {
  let respond = () => {};
  const reply = new Promise<object>((done) => {
    respond = () => done(PREVIEW);
  });
  moderation({ replies: { "/api/admin/moderation/preview": reply } });
  const { client } = renderWithProviders(<Moderation />);
  await fillIn("12");
  await userEvent.click(button("Show effect"));
  await userEvent.type(screen.getByRole("textbox", { name: "Key number" }), "3");
  expect(client.isMutating()).toBe(1);
  respond();
  await waitFor(() => expect(client.isMutating()).toBe(0));
  expect(screen.queryByRole("region", { name: "Effect" })).toBeNull();
  expect(button("Void events")).toBeDisabled();
});

test("the request has the chosen target and whole days in UTC", async () => {
  const calls = moderation();
  renderWithProviders(<Moderation />);
  const form = section("New action");
  await userEvent.selectOptions(form.getByRole("combobox", { name: "Events by" }), "Player");
  await fillIn("Ann-1");
  await userEvent.type(form.getByLabelText("From (UTC)"), "2026-01-01");
  await userEvent.type(form.getByLabelText("Until (UTC)"), "2026-01-01");
  await userEvent.click(button("Show effect"));
  await screen.findByRole("region", { name: "Effect" });
  expect(posts(calls)).toEqual([
    'POST /api/admin/moderation/preview {"action":"void","select":{"player":"Ann-1","from":1767225600,"until":1767312000}}',
  ]);
});

test("an invalid selection is not sent and names the value", async () => {
  const calls = moderation();
  renderWithProviders(<Moderation />);
  await fillIn("abc");
  await userEvent.click(button("Show effect"));
  expect(screen.getByRole("alert")).toHaveTextContent("Invalid key 'abc': expected a number such as 12.");
  expect(posts(calls)).toEqual([]);
});

test("a selection without events cannot run", async () => {
  moderation({ replies: { "/api/admin/moderation/preview": { events: 0, reports: 0, players: 0, effect: [] } } });
  renderWithProviders(<Moderation />);
  await fillIn("12");
  await userEvent.click(button("Show effect"));
  expect(await screen.findByText("No events match this selection.")).toBeInTheDocument();
  expect(button("Void 0 events")).toBeDisabled();
});

test("errors of the preview and of the action are shown beside the form", async () => {
  const broken = (error: string) => ({ status: 400, error, code: "VALIDATION" });
  const replies: Record<string, object> = { "/api/admin/moderation/preview": broken("There is no key 12.") };
  moderation({ replies });
  renderWithProviders(<Moderation />);
  await fillIn("12");
  await userEvent.click(button("Show effect"));
  expect(await screen.findByRole("alert")).toHaveTextContent("There is no key 12.");
  expect(button("Void events")).toBeDisabled();
  replies["/api/admin/moderation/preview"] = PREVIEW;
  replies["POST /api/admin/moderation"] = broken("Another action is running.");
  await userEvent.click(button("Show effect"));
  await userEvent.click(await screen.findByRole("button", { name: "Void 1,234 events" }));
  await userEvent.click(dialog().getByRole("button", { name: "Void" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Another action is running.");
  expect(screen.queryByRole("dialog")).toBeNull();
  // The input is kept, so that the action can be repeated.
  expect(button("Void 1,234 events")).toBeEnabled();
});

test("the history shows what an admin did, and only finished entries can be undone", async () => {
  moderation({
    entries: [
      historyEntry(5, { action: "undo", undoes: 1 }),
      historyEntry(3, { state: "running", done: 500, target: "account", name: null }),
      historyEntry(2, { target: "player", name: "Ann-1" }),
      historyEntry(1, { undone_by: 5 }),
    ],
  });
  renderWithProviders(<Moderation />);
  const history = await screen.findByRole("table", { name: "History" });
  const [, undo, running, done, undone] = within(history).getAllByRole("row");
  expect(undo).toHaveTextContent("Undo of entry 1Key 12");
  expect(running).toHaveTextContent("AccountMade up.1,234Running: 500 of 1,234");
  expect(within(running as HTMLElement).getByRole("progressbar")).toHaveValue(500);
  expect(within(done as HTMLElement).getByRole("link", { name: "Ann-1" })).toHaveAttribute("href", "/player/Ann-1");
  expect(undone).toHaveTextContent("Undone by entry 5");
  expect(screen.getAllByRole("button", { name: /^Undo/ })).toEqual([button("Undo entry 2")]);
});

test("an undo asks for a reason first and shows its error", async () => {
  const replies: Record<string, object> = {
    "/api/admin/moderation/2/undo": { status: 409, error: "This entry has already been undone.", code: "CONFLICT" },
  };
  const calls = moderation({ entries: [historyEntry(2)], replies });
  renderWithProviders(<Moderation />);
  await userEvent.click(await screen.findByRole("button", { name: "Undo entry 2" }));
  expect(dialog().getByText(/Voided 1,234 events reported with one ingest key/)).toBeInTheDocument();
  expect(dialog().getByRole("button", { name: "Undo" })).toBeDisabled();
  await userEvent.click(dialog().getByRole("button", { name: "Cancel" }));
  expect(posts(calls)).toEqual([]);
  await userEvent.click(button("Undo entry 2"));
  await userEvent.type(dialog().getByRole("textbox", { name: "Reason" }), " By mistake. ");
  await userEvent.click(dialog().getByRole("button", { name: "Undo" }));
  expect(await dialog().findByRole("alert")).toHaveTextContent("This entry has already been undone.");
  delete replies["/api/admin/moderation/2/undo"];
  await userEvent.click(dialog().getByRole("button", { name: "Undo" }));
  await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
  expect(posts(calls).at(-1)).toBe('POST /api/admin/moderation/2/undo {"reason":"By mistake."}');
});

test("a running entry is refetched every two seconds until it is done", async () => {
  vi.useFakeTimers();
  const entries = [historyEntry(1, { state: "running", done: 0 })];
  const calls = moderation({ entries });
  renderWithProviders(<Moderation />);
  const requests = () => calls.filter((call) => call.startsWith("GET /api/admin/moderation")).length;
  await act(() => vi.advanceTimersByTimeAsync(1_500));
  expect(requests()).toBe(1);
  entries[0] = historyEntry(1, { state: "running", done: 1_000 });
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(requests()).toBe(2);
  expect(screen.getByText("Running: 1,000 of 1,234")).toBeInTheDocument();
  entries[0] = historyEntry(1);
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(requests()).toBe(3);
  expect(screen.getByText("Done")).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(requests()).toBe(3);
});

test("events are listed by key and state, and more are loaded by a button", async () => {
  const calls = moderation({
    events: [
      [adminEvent(2, { state: "held" })],
      [adminEvent(1, { killer: null, victim: null, player: "Eve", key: null })],
    ],
  });
  renderWithProviders(<Moderation />);
  const events = section("Events");
  expect(calls.some((call) => call.includes("/api/admin/events"))).toBe(false);
  await userEvent.selectOptions(events.getByRole("combobox", { name: "Events by" }), "Key");
  expect(events.getByRole("button", { name: "Show events" })).toBeDisabled();
  await userEvent.type(events.getByRole("textbox", { name: "Key number" }), "12");
  await userEvent.selectOptions(events.getByRole("combobox", { name: "State" }), "Held");
  await userEvent.click(events.getByRole("button", { name: "Show events" }));
  const table = await events.findByRole("table", { name: "Events" });
  expect(within(table).getAllByRole("row")[1]).toHaveTextContent("Ann-1 → Bob-1 killHeldself_reportedGaming PC (12)1");
  await userEvent.click(events.getByRole("button", { name: "Show more" }));
  await expect.poll(() => within(table).getAllByRole("row").length).toBe(3);
  expect(within(table).getAllByRole("row")[2]).toHaveTextContent("Eve killStandsself_reportedNone1");
  expect(events.queryByRole("button", { name: "Show more" })).toBeNull();
  expect(calls.filter((call) => call.includes("/api/admin/events"))).toEqual([
    "GET /api/admin/events?key=12&state=held&limit=50",
    "GET /api/admin/events?key=12&state=held&before=1&limit=50",
  ]);
});

test("a failed list shows its error and a retry, an empty one its reason", async () => {
  const replies: Record<string, object> = {
    "/api/admin/moderation": { status: 403, error: "Busy.", code: "FORBIDDEN" },
    "/api/admin/events": { status: 403, error: "This is for admins.", code: "FORBIDDEN" },
  };
  moderation({ replies });
  renderWithProviders(<Moderation />);
  expect(await screen.findByText("The history could not be loaded.")).toBeInTheDocument();
  await userEvent.click(button("Show events"));
  expect(await screen.findByText("The events could not be loaded.")).toBeInTheDocument();
  expect(screen.getByText("This is for admins.")).toBeInTheDocument();
  for (const path of Object.keys(replies)) delete replies[path];
  for (const retry of screen.getAllByRole("button", { name: "Try again" })) await userEvent.click(retry);
  expect(await screen.findByText("No actions yet.")).toBeInTheDocument();
  expect(await screen.findByText("No events match.")).toBeInTheDocument();
});
