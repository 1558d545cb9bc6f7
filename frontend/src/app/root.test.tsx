import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, useLocation } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { DataProvider } from "../features/live/data-provider";
import { answer } from "../test/render-page";
import { ErrorBoundary } from "./error-page";
import { Pages } from "./router";

function Where() {
  const { pathname, search } = useLocation();
  return <output>{pathname + search}</output>;
}

function open(at: string) {
  render(
    <DataProvider>
      <MemoryRouter initialEntries={[at]}>
        <Pages />
        <Where />
      </MemoryRouter>
    </DataProvider>,
  );
}

beforeEach(() => {
  answer(() => ({ discord: null }));
});

test("an unknown address says so and leads home", async () => {
  open("/nowhere");
  expect(await screen.findByText("Well, this is embarrassing.")).toBeInTheDocument();
  expect(screen.getAllByRole("link", { name: "Home" }).at(-1)).toHaveAttribute("href", "/");
});

test.each([
  ["/auth?code=abc", "/link?code=abc"],
  ["/changelog", "/updates"],
])("the old address %s leads to %s", async (from, to) => {
  open(from);
  await screen.findByRole("heading", { level: 1 }, { timeout: 5_000 });
  expect(screen.getByText(to)).toBeInTheDocument();
});

test("a page that fails says so, and the next one is drawn", () => {
  const fail = vi.spyOn(console, "error").mockImplementation(() => {});
  function Broken(): never {
    throw new Error("broken");
  }
  const { rerender } = render(
    <ErrorBoundary at="/a">
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.getByText("This page could not be shown.")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Reload" })).toBeInTheDocument();
  rerender(
    <ErrorBoundary at="/b">
      <p>fine</p>
    </ErrorBoundary>,
  );
  expect(screen.getByText("fine")).toBeInTheDocument();
  fail.mockRestore();
});

test("a question mark lists the keys, and Close takes the list away", async () => {
  open("/nowhere");
  await screen.findByText("Well, this is embarrassing.");
  await userEvent.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keys" })).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the footer has Legal, Support, API and the trademark", async () => {
  open("/nowhere");
  expect(await screen.findByRole("link", { name: "Privacy Policy" })).toHaveAttribute("href", "/privacy");
  expect(screen.getByRole("link", { name: "API Documentation" })).toHaveAttribute("href", "/api");
  expect(screen.getByText(/registered trademark/)).toBeInTheDocument();
});
