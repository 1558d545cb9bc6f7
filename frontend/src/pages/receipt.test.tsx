import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Receipt } from "../api/types";
import { activityRow, receipt } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

const kill = (id: number, victim: string) =>
  activityRow(id, { identifier: "kill", killer: "Vexa", victim, player_name: null, grade: "confirmed" });

/** Answers with a receipt for each query; returns the queries. */
function serve(answer: (url: URL) => Receipt | object): string[] {
  const asked: string[] = [];
  mockApi((url) => {
    if (url.pathname !== "/api/player/Vexa/receipt") return undefined;
    asked.push(url.search);
    return answer(url);
  });
  return asked;
}

const listed = async (name: string) =>
  within(await screen.findByRole("list", { name }))
    .getAllByRole("listitem")
    .map((item) => item.textContent);

test("a receipt shows the parts of a score, what does not count, and the events", async () => {
  serve(() =>
    receipt({
      withheld: [{ reason: "repeated", events: 48 }],
      events: [
        { event: kill(9, "Orbit_7"), counts: true, reasons: [] },
        { event: kill(8, "Other"), counts: false, reasons: ["repeated"] },
      ],
    }),
  );
  await renderPage("/player/Vexa/receipt?sort=overall&window=all");
  expect(await screen.findByText("Rank #3")).toBeInTheDocument();
  expect(document.title).toMatch(/^Receipt of Vexa - /);
  const [confirmed, own, imported] = await listed("What it consists of");
  expect(confirmed).toContain("Confirmed 20.0%1");
  expect(own).toContain("Self-reported 60.0%3");
  expect(imported).toContain("Imported1");
  expect((await listed("What does not count"))[0]).toContain("48");
  const [counted, withheld] = await listed("Newest first");
  expect(counted).toMatch(/^Vexa killed Orbit_7.* Confirmed$/);
  expect(withheld).toMatch(/Does not count: Repeated kill$/);
  expect(screen.getByText(/20,000 entries/)).toBeInTheDocument();
});

test("the score and the period are in the address and in the request", async () => {
  const asked = serve((url) => receipt({ metric: url.searchParams.get("metric") as Receipt["metric"] }));
  await renderPage("/player/Vexa/receipt?sort=pve_kills&window=7d");
  await screen.findByText("Rank #3");
  expect(asked.at(-1)).toContain("metric=pve_kills&window=7d");
  await userEvent.selectOptions(screen.getByLabelText("Period"), "24 hours");
  await screen.findByText("Rank #3");
  expect(asked.at(-1)).toContain("window=24h");
});

test("the next page adds events", async () => {
  serve((url) =>
    url.searchParams.get("before") === "9"
      ? receipt({ events: [{ event: kill(8, "Second"), counts: true, reasons: [] }] })
      : receipt({ events: [{ event: kill(9, "First"), counts: true, reasons: [] }], next: "9" }),
  );
  await renderPage("/player/Vexa/receipt");
  await userEvent.click(await screen.findByRole("button", { name: "Show more" }));
  expect(await screen.findByText(/Second/)).toBeInTheDocument();
  expect(screen.getByText(/First/)).toBeInTheDocument();
});

test("playtime lists sessions", async () => {
  serve(() =>
    receipt({
      metric: "playtime",
      value: 7_200,
      grades: [],
      imported: 0,
      sessions: [{ login_at: 1_760_000_000, ended_at: 1_760_007_200, playtime: 7_200 }],
    }),
  );
  await renderPage("/player/Vexa/receipt?sort=playtime");
  expect(await screen.findByRole("heading", { name: "Sessions" })).toBeInTheDocument();
  expect((await listed("Newest first"))[0]).toContain("2h");
});

test("a hidden and an unknown player have a sentence and a way on", async () => {
  serve(() => ({ status: 403, error: "This profile has been hidden from public view by owner.", code: "FORBIDDEN" }));
  await renderPage("/player/Vexa/receipt");
  expect(await screen.findByText(/has been hidden/)).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Player rating" })).toBeInTheDocument();
});
