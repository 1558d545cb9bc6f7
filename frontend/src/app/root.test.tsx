import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, test } from "vitest";
import { DataProvider } from "../features/live/data-provider";
import { answer } from "../test/render-page";
import { routes } from "./router";

function open(at: string) {
  const router = createMemoryRouter(routes, { initialEntries: [at] });
  render(
    <DataProvider>
      <RouterProvider router={router} />
    </DataProvider>,
  );
  return router;
}

beforeEach(() => {
  answer(() => ({ discord: null }));
});

test("an unknown address says so and leads home", async () => {
  open("/nowhere");
  expect(await screen.findByText("Well, this is embarrassing.")).toBeInTheDocument();
  expect(screen.getAllByRole("link", { name: "Home" }).at(-1)).toHaveAttribute("href", "/");
});

test("the old addresses lead to the new ones, with what came along", async () => {
  const router = open("/auth?code=abc");
  await screen.findByRole("heading", { level: 1 });
  expect(router.state.location.pathname + router.state.location.search).toBe("/link?code=abc");
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
