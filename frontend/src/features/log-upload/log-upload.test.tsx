import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { handle, kind, log, reading, totals } from "../../test/log-reading";
import { renderWithProviders } from "../../test/render-page";
import { Leaving, Players } from "./choices";
import { Charts, Figures, LogFacts } from "./figures";
import { FollowPanel } from "./follow-panel";
import type { UploadResult } from "./reading";
import { ReadingProgress } from "./reading-progress";
import { selectionOf } from "./selection";
import { UploadPanel, type UploadState } from "./upload-panel";

const RESULT: UploadResult = { accepted: 0, known: 0, dropped: 0, rejected: [], refused: [] };
const act = { onUpload: vi.fn(), onPause: vi.fn(), onResume: vi.fn(), onStop: vi.fn() };
const panel = (state: UploadState) =>
  renderWithProviders(
    <UploadPanel
      state={state}
      uploadable={92}
      missing={null}
      careerPath="/player/Ada_Quill/career"
      claimPath={(name) => `/claim?handle=${name}`}
      {...act}
    />,
  );

test("the summary shows figures, a chart with its table, and logs that were not used with the reason", () => {
  const found = reading({
    logs: [
      log("Game.log"),
      log("logbackups/d.log", { error: "The file became shorter while it was read" }),
      log("logbackups/a.log", { state: "copy" }),
      log("logbackups/b.log", { state: "empty" }),
      log("logbackups/c.log", { state: "unreadable", error: "The file was removed." }),
    ],
  });
  const selection = selectionOf(found, ["Ada_Quill"], []);
  renderWithProviders(
    <>
      <Figures selection={selection} />
      <Charts selection={selection} />
      <LogFacts reading={found} selection={selection} />
    </>,
  );
  expect(screen.getByLabelText("Found in your logs")).toHaveTextContent(/Universe time8h 20m.*Contracts.*12/);
  const months = within(screen.getByRole("table", { name: "Universe time and contracts by month" }));
  expect(months.getByRole("row", { name: "November 2025 5h 33m 5" })).toBeInTheDocument();
  expect(screen.getByText("3 logs not used")).toBeInTheDocument();
  expect(screen.getByText("A copy of another log")).toBeInTheDocument();
  expect(screen.getByText("Not a log of the game, or of an unknown form")).toBeInTheDocument();
  expect(screen.getByText("The file was removed.")).toBeInTheDocument();
  expect(screen.getByText("Logs not read to their end").parentElement).toHaveTextContent(/end1$/);
  expect(screen.getByText("Only events of LIVE count on the site.")).toBeInTheDocument();
});

test("reading shows its progress by bytes, the log with its date, and what was found so far, and is stopped", async () => {
  const onStop = vi.fn();
  const progress = {
    bytes: 100_000_000,
    totalBytes: 403_000_000,
    logs: 52,
    totalLogs: 212,
    path: "LIVE/logbackups/a.log",
    modifiedAt: Date.parse("2025-04-11T12:00:00Z"),
    totals: totals({ universeSeconds: 7_200, contracts: 31 }),
    handles: ["Ada_Quill"],
  };
  renderWithProviders(<ReadingProgress progress={progress} onStop={onStop} />);
  expect(screen.getByRole("progressbar", { name: "Reading 212 logs, 403 MB" })).toHaveAttribute("value", "100000000");
  expect(screen.getByText("Apr 11, 2025. 52 logs read, 100 MB, 1 player")).toBeInTheDocument();
  expect(screen.getByLabelText("Found so far")).toHaveTextContent(/2h.*31/);
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(onStop).toHaveBeenCalledOnce();
});

test("what leaves the computer is listed by kind; pay stays until it is ticked", async () => {
  const onShare = vi.fn();
  const selection = selectionOf(reading(), ["Ada_Quill"], []);
  renderWithProviders(<Leaving selection={selection} share={[]} onShare={onShare} disabled={false} />);
  expect(screen.getByRole("row", { name: "Seats entered 80 80" })).toBeInTheDocument();
  expect(screen.getByRole("row", { name: "Contract pay 8 stays here" })).toBeInTheDocument();
  expect(screen.getByRole("row", { name: "Crashes of the game 2 stays here" })).toBeInTheDocument();
  expect(screen.queryByRole("checkbox", { name: /visited places/ })).toBeNull();
  await userEvent.click(screen.getByRole("checkbox", { name: /contract pay/ }));
  expect(onShare).toHaveBeenCalledWith(["pay"]);
});

test("each player has a tick box, and one that is not the account's says so", async () => {
  const onChange = vi.fn();
  const handles = [handle("Ada_Quill"), handle("Bo_Finch", { kinds: [kind("login", 1)] })];
  renderWithProviders(
    <Players handles={handles} ticked={["Ada_Quill"]} own="ada_quill" onChange={onChange} disabled={false} />,
  );
  expect(screen.getByRole("checkbox", { name: /Ada_Quill/ })).toBeChecked();
  const other = screen.getByRole("checkbox", { name: /Bo_Finch.*Not your claimed player/ });
  await userEvent.click(other);
  expect(onChange).toHaveBeenCalledWith(["Ada_Quill", "Bo_Finch"]);
});

test("the answer of the site is in words and ends at the own career", () => {
  panel({
    is: "done",
    result: {
      accepted: 1_234,
      known: 56,
      dropped: 3,
      rejected: [{ reason: "More than 40 contracts an hour.", count: 2 }],
      refused: [{ handle: "Bo_Finch", reason: "Nobody has claimed Bo_Finch.", claimedBy: "nobody", events: 9 }],
    },
  });
  expect(screen.getByRole("status")).toHaveTextContent("1,234 new events are on your profile.");
  expect(screen.getByText("56 events were known before.")).toBeInTheDocument();
  expect(screen.getByText("3 events were not stored, since your profile does not share them.")).toBeInTheDocument();
  expect(screen.getByText("2 rejected: More than 40 contracts an hour.")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Claim Bo_Finch" })).toHaveAttribute("href", "/claim?handle=Bo_Finch");
  expect(screen.getByRole("link", { name: "Open my Career" })).toHaveAttribute("href", "/player/Ada_Quill/career");
});

test("an upload that the site refused altogether is an error", () => {
  const refused = [
    { handle: "Bo_Finch", reason: "Somebody else has claimed it.", claimedBy: "other" as const, events: 9 },
  ];
  panel({ is: "done", result: { ...RESULT, refused } });
  expect(screen.getByRole("alert")).toHaveTextContent("No event was added.");
  expect(screen.queryByRole("link", { name: "Open my Career" })).toBeNull();
  expect(screen.getByRole("button", { name: "Upload again" })).toBeEnabled();
});

test("an upload that was stopped is resumed, and shows why it failed", async () => {
  panel({ is: "stopped", events: 1_000, totalEvents: 5_000, error: "The server could not be reached." });
  expect(screen.getByText("Stopped at 1,000 of 5,000 events.")).toBeInTheDocument();
  expect(screen.getByRole("alert")).toHaveTextContent("The server could not be reached.");
  await userEvent.click(screen.getByRole("button", { name: "Resume upload" }));
  expect(act.onUpload).toHaveBeenCalledOnce();
});

test("an upload shows its progress and what it waits for, and is paused and stopped", async () => {
  const waiting = { reason: "The site takes no more today.", until: Date.parse("2026-05-03T00:00:00Z") };
  const progress = { events: 2_000, totalEvents: 5_000, result: RESULT, waiting };
  panel({ is: "sending", progress, isPaused: false });
  expect(screen.getByRole("progressbar")).toHaveAttribute("value", "2000");
  expect(screen.getByText(/The site takes no more today\. Goes on at/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Pause" }));
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(act.onPause).toHaveBeenCalledOnce();
  expect(act.onStop).toHaveBeenCalledOnce();
});

test("a browser without handles of folders says that it can only read", () => {
  renderWithProviders(<FollowPanel canUpload share={[]} />);
  expect(screen.getByText(/^This browser can only read logs that you give it\./)).toBeInTheDocument();
  expect(screen.queryByRole("button")).toBeNull();
});
