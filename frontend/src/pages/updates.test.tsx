import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { commitRow } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

afterEach(() => vi.useRealTimers());

const page = (commits: object[], total = commits.length) => ({ commits, pagination: { limit: 20, total } });

test("a commit shows its author, message, short hash, branch and repository", async () => {
  mockApi(() => page([commitRow("0123456789abcdef")]));
  await renderPage("/updates");
  const item = await screen.findByRole("listitem");
  expect(item).toHaveTextContent("Fly further");
  expect(item).toHaveTextContent("Ada");
  expect(screen.getByText("0123456")).toBeInTheDocument();
  expect(item).toHaveTextContent("Branch develop");
  expect(item).toHaveTextContent("Repository apogee");
  expect(item).toHaveTextContent("Nov 14, 2023");
  expect(screen.getByText("All 1 commits loaded")).toBeInTheDocument();
  expect(screen.getByText("Updates are automatically synced from our source repositories")).toBeInTheDocument();
});

test("missing fields of a commit have fallbacks", async () => {
  const missing = { author_name: null, message: "", branch: "", repository: "" };
  mockApi(() => page([commitRow("a1", missing), commitRow("b2", { ...missing, author_username: null })]));
  await renderPage("/updates");
  const [first, second] = await screen.findAllByRole("listitem");
  expect(first).toHaveTextContent("ada-dev");
  expect(first).toHaveTextContent("Repository Unknown");
  expect(second).toHaveTextContent("Unknown");
});

test("the feed is refetched every five minutes", async () => {
  vi.useFakeTimers();
  let requestCount = 0;
  mockApi((url) => {
    if (url.pathname !== "/api/commits") return undefined;
    requestCount += 1;
    return page([commitRow("a1")]);
  });
  await renderPage("/updates");
  await vi.advanceTimersByTimeAsync(299_000);
  expect(requestCount).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(requestCount).toBe(2);
});
