import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { consumeReturnPath, saveReturnPath } from "../features/sessions/return-to";
import { mockApi, renderPage } from "../test/render-page";

test("a browser or site that cannot read logs says so and leads to the program", async () => {
  mockApi(() => ({ discord: null, site: { source_url: "https://code.test/" } }));
  await renderPage("/upload");
  expect(await screen.findByText(/^This (site|browser) cannot read logs/)).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Get the program" })).toHaveAttribute("href", "/connect-app");
  expect(screen.queryByRole("button", { name: "Choose files" })).toBeNull();
  expect(await screen.findByRole("link", { name: "The source code of the parser" })).toHaveAttribute(
    "href",
    "https://code.test/",
  );
});

test("a sign-in returns to the page", () => {
  saveReturnPath("/upload");
  expect(consumeReturnPath()).toBe("/upload");
});

test("the apps page leads with the browser, then the program", async () => {
  mockApi(() => ({ discord: null }));
  await renderPage("/connect-app");
  const headings = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
  expect(headings.slice(0, 2)).toEqual(["In your browser", "With the program"]);
  const main = screen.getByRole("main");
  expect(main.querySelector("a[href='/upload']")).toHaveTextContent("Read my log");
});
