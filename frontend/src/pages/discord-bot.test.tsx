import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { renderPage } from "../test/render-page";
import { handleRequests } from "../test/server";

const HELP = "# Bot\n\n## Boards\n\nThe best.\n\n### Commands\n\n- `/top` - the board";

afterEach(() => {
  vi.useRealTimers();
});

function serve(help: () => { text: string; changed: string; status?: number }, requests: string[] = []) {
  handleRequests(async ({ method }, { pathname }) => {
    if (pathname === "/api/config") return new Response(JSON.stringify({ success: true, discord: null }));
    if (pathname.startsWith("/api/")) return new Response("{}", { status: 404 });
    requests.push(`${method} ${pathname}`);
    const { text, changed, status = 200 } = help();
    return new Response(method === "HEAD" ? null : text, { status, headers: { "last-modified": changed } });
  });
}

test("the features come from the help file, and a changed file is read within half a minute", async () => {
  vi.useFakeTimers();
  let help = { text: HELP, changed: "Mon, 01 Jan 2026 00:00:00 GMT" };
  const requests: string[] = [];
  serve(() => help, requests);
  await renderPage("/discord-bot");
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(screen.getByText("Loading features…")).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(screen.getByRole("button", { name: "Boards" })).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(requests).toEqual(["GET /help_en.md", "HEAD /help_en.md"]);
  help = { text: HELP.replace("Boards", "Ranks"), changed: "Tue, 02 Jan 2026 00:00:00 GMT" };
  await act(() => vi.advanceTimersByTimeAsync(30_100));
  expect(screen.getByRole("button", { name: "Ranks" })).toBeInTheDocument();
});

test("a click on a command copies it and confirms it for two seconds", async () => {
  vi.useFakeTimers();
  const writeText = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
  serve(() => ({ text: HELP, changed: "" }));
  await renderPage("/discord-bot");
  await act(() => vi.advanceTimersByTimeAsync(400));
  fireEvent.click(screen.getByTitle("Copy"));
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(writeText).toHaveBeenCalledWith("/top");
  expect(screen.getByText("copied")).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(screen.queryByText("copied")).toBeNull();
  vi.unstubAllGlobals();
});
