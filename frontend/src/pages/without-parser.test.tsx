// The site as it is built without the parser of logs: the compiler's target was missing.
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { mockApi, renderPage } from "../test/render-page";

vi.hoisted(() => Object.assign(globalThis, { HAS_LOG_PARSER: false }));

test("a site that cannot read logs leads to the program, and nothing leads to the reading", async () => {
  mockApi(() => ({ discord: null }));
  await renderPage("/connect-app");
  await userEvent.click(screen.getByRole("button", { name: "Menu" }));
  expect(await screen.findByRole("navigation", { name: "Menu" })).toBeInTheDocument();
  expect(screen.queryByText("Read my log")).toBeNull();
  expect(screen.getByRole("heading", { name: "With the program" })).toBeInTheDocument();
  expect(document.querySelectorAll("a[href='/connect-app']").length).toBeGreaterThan(0);
  expect(document.querySelector("a[href='/upload']")).toBeNull();
});
