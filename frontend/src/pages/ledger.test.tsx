import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { LedgerEntry } from "../api/types";
import { ledgerEntry } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

/** Serves pages of the ledger. */
function ledger(...pages: LedgerEntry[][]) {
  mockApi((url) => {
    if (url.pathname !== "/api/ledger") return undefined;
    const page = Number(url.searchParams.get("before") ?? 0);
    return { data: pages[page], next: page + 1 < pages.length ? page + 1 : null };
  });
}

test.each<[Partial<LedgerEntry>, string]>([
  [{}, "Voided 1,234 events reported with one ingest key"],
  [{ action: "hold", target: "account", name: null, total: 1 }, "Held 1 event reported by one account"],
  [{ action: "release", target: "player", name: "Ann-1" }, "Released 1,234 events of Ann-1"],
  [{ target: "player", name: null }, "Voided 1,234 events of one player"],
  [{ target: "events", name: "3", total: 3 }, "Voided 3 events selected by id"],
  [{ action: "undo", undoes: 4 }, "Undid entry 4: 1,234 events reported with one ingest key"],
  [{ state: "running", done: 0 }, "Voiding 1,234 events reported with one ingest key"],
])("an entry is a plain sentence with its reason and date", async (more, sentence) => {
  ledger([ledgerEntry(7, more)]);
  await renderPage("/ledger");
  const list = await screen.findByRole("list", { name: "Entries" });
  const item = within(list).getByRole("listitem");
  expect(item.textContent?.startsWith(`${sentence}Reason: Made up.`)).toBe(true);
  expect(item).toHaveTextContent("Entry 7, Jan 1, 2026");
  expect(document.title).toMatch(/^Moderation ledger - /);
});

test("an undone entry is marked, and older entries are loaded by a button", async () => {
  ledger([ledgerEntry(2, { undone_by: 3 })], [ledgerEntry(1)]);
  await renderPage("/ledger");
  expect(await screen.findByText("Undone by entry 3")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  await expect
    .poll(() => within(screen.getByRole("list", { name: "Entries" })).getAllByRole("listitem").length)
    .toBe(2);
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test("a failed page keeps the list, shows its error and can be requested again", async () => {
  let isFailing = true;
  mockApi((url) => {
    if (!url.searchParams.has("before")) return { data: [ledgerEntry(2)], next: 2 };
    return isFailing
      ? { status: 429, error: "Slow down.", code: "RATE_LIMIT_EXCEEDED" }
      : { data: [ledgerEntry(1)], next: null };
  });
  await renderPage("/ledger");
  await userEvent.click(await screen.findByRole("button", { name: "Show more" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Slow down.");
  isFailing = false;
  await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  await expect
    .poll(() => within(screen.getByRole("list", { name: "Entries" })).getAllByRole("listitem").length)
    .toBe(2);
});

test("an empty ledger and a failed one have their texts", async () => {
  let isFailing = true;
  mockApi(() => (isFailing ? { status: 503, error: "Busy.", code: "OVERLOADED" } : { data: [], next: null }));
  await renderPage("/ledger");
  expect(await screen.findByText("The ledger could not be loaded.")).toBeInTheDocument();
  isFailing = false;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("The ledger is empty.")).toBeInTheDocument();
});

test("the footer links to the ledger", async () => {
  ledger([]);
  await renderPage("/ledger");
  expect(await screen.findByRole("link", { name: "Moderation ledger" })).toHaveAttribute("href", "/ledger");
});
