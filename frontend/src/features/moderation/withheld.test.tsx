import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { WithheldKills } from "../../api/types";
import { mockApi, renderWithProviders } from "../../test/render-page";
import { Withheld } from "./withheld";

const NONE: WithheldKills = { total: 0, share: 5, killers: [], pairs: [], circles: [] };

async function show(reply: object): Promise<void> {
  mockApi((url) => (url.pathname === "/api/admin/withheld" ? reply : undefined));
  renderWithProviders(<Withheld />);
  await userEvent.click(screen.getByRole("button", { name: "Show withheld kills" }));
}

test("withheld kills are listed by killer, pair and circle", async () => {
  await show({
    total: 1_048,
    share: 5,
    killers: [{ handle: "Ace-1", withheld: 1_048, counted: 32 }],
    pairs: [{ players: ["Ace-1", "Alt-1"], withheld: 48 }],
    circles: [{ players: ["Ann-1", "Bob-1", "Cyd-1"], withheld: 1_000 }],
  } satisfies WithheldKills);
  expect(await screen.findByText(/^1,048 kills do not count\. After the first two/)).toBeVisible();
  const cells = (caption: string) =>
    within(screen.getByRole("table", { name: caption }))
      .getAllByRole("cell")
      .map((cell) => cell.textContent);
  expect(cells("Withheld kills by killer")).toEqual(["Ace-1", "1,048", "32"]);
  expect(cells("Withheld kills by pair")).toEqual(["Ace-1, Alt-1", "48"]);
  expect(cells("Withheld kills by circle")).toEqual(["Ann-1, Bob-1, Cyd-1", "1,000"]);
  expect(screen.getByRole("link", { name: "Bob-1" })).toHaveAttribute("href", "/player/Bob-1");
});

test("a site without repeated kills says so", async () => {
  await show(NONE);
  expect(await screen.findByText("No kill is withheld.")).toBeVisible();
});

test("a list that cannot be loaded can be requested again", async () => {
  await show({ status: 503, error: "Busy.", code: "OVERLOADED" });
  expect(await screen.findByText("The withheld kills could not be loaded.")).toBeVisible();
  expect(screen.getByRole("button", { name: /again|retry/i })).toBeVisible();
});
