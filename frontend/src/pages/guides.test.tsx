import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { renderPage } from "../test/render-page";
import { handleRequests } from "../test/server";

const QUICK_START =
  "# Quick Start Guide\n\n## Link your account\n\nPress the button.\n\n## Claim your player\n\nUse the Bio.";
const RULES = "# Whose Reports Count\n\n## Rules\n\n- Your log counts.\n- Nothing impossible counts.\n";
const FEED =
  "# Configuring StatsFeed Channels\n\n## Overview\n\nThree kinds.\n\n## Arena Commander\n\nUse `/statsfeed set`.";

beforeEach(() => {
  handleRequests(async (_, { pathname }) => {
    if (pathname.includes("reports")) return new Response(RULES);
    return new Response(pathname.includes("quick") ? QUICK_START : FEED);
  });
});

test("one article is open, its sections have URLs, and previous and next stop at the ends", async () => {
  const { address } = await renderPage("/guides");
  const contents = await screen.findByRole("navigation", { name: "Contents of guides" });
  expect(screen.getByRole("button", { name: "Previous" })).toBeDisabled();
  await userEvent.click(within(contents).getByRole("button", { name: "Configuring StatsFeed Channels" }));
  expect(address().hash).toBe("#overview");
  expect(within(contents).queryByRole("link", { name: "Link your account" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  expect(address().hash).toBe("#arena-commander");
  expect(screen.getByRole("button", { name: "Next" })).toBeDisabled();
  expect(within(contents).getByRole("link", { name: "Arena Commander" })).toHaveAttribute("aria-current", "location");
});

test("a click on the open article collapses its sections", async () => {
  await renderPage("/guides");
  const article = await screen.findByRole("button", { name: "Quick Start Guide" });
  expect(article).toHaveAttribute("aria-expanded", "true");
  await userEvent.click(article);
  expect(article).toHaveAttribute("aria-expanded", "false");
});

test.each(["#%", "#%E0%A4%A", "#no-such-section"])("the hash %s opens the first section", async (hash) => {
  await renderPage(`/guides${hash}`);
  const first = await screen.findByRole("link", { name: "Link your account" });
  expect(first).toHaveAttribute("aria-current", "location");
});

test("the search covers all articles", async () => {
  const { address } = await renderPage("/guides");
  await userEvent.type(await screen.findByRole("searchbox", { name: "Search guides" }), "statsfeed set");
  await userEvent.click(screen.getByRole("link", { name: "Arena Commander" }));
  expect(address().hash).toBe("#arena-commander");
  expect(await screen.findByRole("heading", { name: "Configuring StatsFeed Channels" })).toBeInTheDocument();
});

test("the link of the rules opens them, with the limits of this site below the last one", async () => {
  const trust = { limits: ["7 fights of one killer in 60 s"], events_per_day: 50_000, last_fight_patch: "4.3" };
  handleRequests(async (_, { pathname }) => {
    if (pathname === "/api/config") return Response.json({ success: true, trust });
    return new Response(pathname.includes("reports") ? RULES : QUICK_START);
  });
  await renderPage("/guides#rules");
  const section = await screen.findByRole("link", { name: "Rules" });
  expect(section).toHaveAttribute("aria-current", "location");
  expect(screen.getByRole("heading", { name: "Whose Reports Count" })).toBeInTheDocument();
  const last = screen.getByText("7 fights of one killer in 60 s").closest("ul")?.parentElement;
  expect(last).toHaveTextContent(/^Nothing impossible counts\./);
  for (const limit of [/^50,000 events .* in a day$/, /patches after 4\.3$/]) {
    expect(within(last as HTMLElement).getByText(limit)).toBeInTheDocument();
  }
});

test("failed texts show an error and a retry button", async () => {
  handleRequests(async () => new Response("no", { status: 500 }));
  await renderPage("/guides");
  expect(await screen.findByText("The guides could not be loaded.")).toBeInTheDocument();
  handleRequests(async () => new Response(QUICK_START));
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("heading", { name: "Link your account" })).toBeInTheDocument();
});
