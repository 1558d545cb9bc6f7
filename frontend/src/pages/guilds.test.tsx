import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { guildRow } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

function board(count: number, total = count, requests: URL[] = []) {
  const rows = Array.from({ length: count }, (_, index) => guildRow(index + 1));
  mockApi((url) => {
    if (url.pathname === "/api/stats/counts") return { players: 1, orgs: 103_422 };
    if (url.pathname !== "/api/guilds/leaderboard") return undefined;
    if (url.searchParams.get("limit") === "20") return { data: [] };
    requests.push(url);
    return { data: rows, pagination: { limit: 30, offset: 0, total } };
  });
}

test("a row shows rank, tag, name, score and members, and links to the guild", async () => {
  board(1, 40);
  await renderPage("/guilds");
  const list = await screen.findByRole("list", { name: "Guilds, 40 in all" });
  const row = within(list).getByRole("listitem");
  expect(within(row).getByRole("link")).toHaveAttribute("href", "/guild/ORG1");
  expect(row).toHaveTextContent("Order & 1");
  expect(within(row).getByText("Order & 1").closest("[translate=no]")).not.toBeNull();
  expect(within(row).getByText("ORG1").closest("[translate=no]")).not.toBeNull();
  expect(row).toHaveTextContent("12.3k");
  expect(row).toHaveTextContent("20 (5 inactive)");
  expect(screen.getByText("Reached display limit - 1 of 40 guilds shown")).toBeInTheDocument();
});

test("a guild whose members are all active shows only their number", async () => {
  mockApi((url) =>
    url.pathname === "/api/guilds/leaderboard" ? { data: [guildRow(1, { total_member_count: 20 })] } : undefined,
  );
  await renderPage("/guilds");
  await screen.findByRole("list", { name: "Guilds, 1 in all" });
  expect(screen.queryByText(/inactive/)).toBeNull();
});

test("each sort key shows its score, and the first is called Overall", async () => {
  const requests: URL[] = [];
  board(1, 1, requests);
  const { address } = await renderPage("/guilds");
  const select = await screen.findByLabelText("Sort By");
  expect(within(select).getAllByRole("option")[0]).toHaveTextContent(/^Overall$/);
  await userEvent.selectOptions(select, "Vehicle Destructions");
  expect(address().search).toBe("?sort=vehicle_destructions");
  const list = await screen.findByRole("list", { name: "Guilds, 1 in all" });
  expect(list).toHaveTextContent("3.0M");
  expect(requests.at(-1)?.search).toContain("sortBy=vehicle_destructions&sortOrder=desc");
});

test("the list loads up to a hundred guilds and ends with a note", async () => {
  const original = IntersectionObserver;
  class VisibleObserver {
    constructor(private readonly report: (entries: { isIntersecting: boolean }[]) => void) {}
    observe() {
      queueMicrotask(() => this.report([{ isIntersecting: true }]));
    }
    unobserve() {}
    disconnect() {}
  }
  vi.stubGlobal("IntersectionObserver", VisibleObserver);
  mockApi((url) => {
    if (url.pathname !== "/api/guilds/leaderboard") return undefined;
    const from = Number(url.searchParams.get("offset"));
    const data = Array.from({ length: Number(url.searchParams.get("limit")) }, (_, index) =>
      guildRow(from + index + 1),
    );
    return { data, pagination: { limit: 30, offset: from, total: 3_000 } };
  });
  await renderPage("/guilds");
  expect(await screen.findByText("Showing top 100 guilds", undefined)).toBeInTheDocument();
  const list = screen.getByRole("list", { name: "Guilds, 3,000 in all" });
  expect(list.children).toHaveLength(100);
  vi.stubGlobal("IntersectionObserver", original);
});

test.each([
  [{ status: 500, error: "x", code: "INTERNAL" }, "Failed to load top guilds"],
  [new TypeError("offline"), "Network error loading top guilds"],
])("failed leaderboards show an error and a retry button", async (failure, text) => {
  mockApi(() => failure);
  await renderPage("/guilds");
  await waitFor(() => expect(screen.getAllByText(text)).toHaveLength(2));
  expect(screen.getAllByRole("button", { name: "Try again" })).toHaveLength(2);
});
