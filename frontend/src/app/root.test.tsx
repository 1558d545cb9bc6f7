import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { mockApi, renderPage } from "../test/render-page";
import { ErrorBoundary } from "./error-page";

beforeEach(() => {
  mockApi(() => ({ discord: null }));
});

test.each([
  ["/auth?code=abc", "/link?code=abc"],
  ["/changelog", "/updates"],
])("the old address %s leads to %s", async (from, to) => {
  const { address } = await renderPage(from);
  await screen.findByRole("heading", { level: 1 });
  expect(address().pathname + address().search).toBe(to);
});

test("a failed page shows an error, and the next one is rendered", () => {
  const fail = vi.spyOn(console, "error").mockImplementation(() => {});
  function Broken(): never {
    throw new Error("broken");
  }
  const { rerender } = render(
    <ErrorBoundary pathname="/a">
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.getByText("This page could not be shown.")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Reload" })).toBeInTheDocument();
  rerender(
    <ErrorBoundary pathname="/b">
      <p>fine</p>
    </ErrorBoundary>,
  );
  expect(screen.getByText("fine")).toBeInTheDocument();
  fail.mockRestore();
});

test("changing the query does not scroll; another page starts at its top", async () => {
  const scrolled = vi.spyOn(window, "scrollTo").mockImplementation(() => {});
  mockApi(() => ({ players: [], data: [], stickers: [], pagination: { total: 0 } }));
  const { address } = await renderPage("/players");
  const sorts = await screen.findByLabelText("Sort By");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  fireEvent.change(sorts, { target: { value: "pve_kills" } });
  expect(address().search).toBe("?sort=pve_kills");
  act(() => vi.runOnlyPendingTimers());
  vi.useRealTimers();
  expect(scrolled).not.toHaveBeenCalled();
  await userEvent.click(screen.getAllByRole("link", { name: "Guilds" })[0] as HTMLElement);
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith({ top: 0, behavior: "auto" }));
  scrolled.mockRestore();
});

test("unset links are not shown; set links are", async () => {
  mockApi(() => ({ discord: null }));
  await renderPage("/connect-app");
  expect(await screen.findByRole("heading", { name: "Connect App" })).toBeInTheDocument();
  for (const name of ["Community", "Discord community", "Kanban board", "Download", "Source code"]) {
    expect(screen.queryByText(name)).toBeNull();
  }
  for (const link of screen.getAllByRole("link")) expect(link.getAttribute("href")).toMatch(/^[/#]/);
  cleanup();

  mockApi(() => ({ discord: null, site: { community_url: "https://chat.test/", source_url: "https://code.test/" } }));
  await renderPage("/connect-app");
  expect(await screen.findByRole("button", { name: "Community" })).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Source code" })).toHaveAttribute("href", "https://code.test/");
  expect(screen.queryByRole("link", { name: "Download" })).toBeNull();
});

test("single-key shortcuts can be switched off and on, and the footer opens their list without a key", async () => {
  await renderPage("/nowhere");
  await screen.findByText("Well, this is embarrassing.");
  const list = async () => {
    await userEvent.click(screen.getByRole("button", { name: "Keyboard shortcuts" }));
    return screen.findByRole("checkbox", { name: "Single-key shortcuts" });
  };
  const close = () => userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(await list()).toBeChecked();
  await userEvent.click(screen.getByRole("checkbox"));
  await close();
  await userEvent.keyboard("?/");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement?.getAttribute("role")).not.toBe("combobox");
  expect(await list()).not.toBeChecked();
  await userEvent.click(screen.getByRole("checkbox"));
  await close();
  await userEvent.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeInTheDocument();
});
