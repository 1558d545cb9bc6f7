import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { applyLiveEvents } from "../features/live/live-updates";
import { mockApi, renderPage } from "../test/render-page";

vi.setConfig({ testTimeout: 30_000 });

const player = {
  handle: "Kestrel",
  rank_overall: 12,
  overall: 21,
  pve_kills: 7,
  vehicle_destructions: 4,
  is_hidden: false,
  game_stats: { pu_player_kills: 10 },
};
const kill = (id: number, killer: string, victim: string) => ({
  id: String(id),
  identifier: "kill",
  event_time: 1_760_000_000 + id,
  killer,
  victim,
  killer_friendly_name: killer,
  victim_friendly_name: victim,
  reported_by: ["operator"],
  orgs: [],
});
const rows = [kill(9, "Vexa", "Kestrel"), kill(8, "Kestrel", "Kestrel"), kill(7, "Kestrel", "Mara")];

function show(shown: object) {
  mockApi(({ pathname }) => (pathname.endsWith("/activity") ? { data: rows } : { player: shown }));
  return renderPage("/overlay/player/kestrel");
}

test("the overlay shows statistics and the last kill on a transparent page", async () => {
  const { unmount } = await show(player);
  expect((await screen.findByText("Mara")).parentElement).toHaveTextContent("Kestrel killed Mara");
  expect(screen.getByText("#12")).toBeInTheDocument();
  expect(screen.getAllByRole("definition").map((one) => one.querySelector(".visually-hidden")?.textContent)).toEqual([
    "10",
    "7",
    "4",
  ]);
  expect(screen.queryByRole("link")).toBeNull();
  expect(document.documentElement).toHaveAttribute("data-overlay");
  unmount();
  expect(document.documentElement).not.toHaveAttribute("data-overlay");
});

test("a live kill replaces the last one, and the numbers change", async () => {
  const { client } = await show(player);
  await screen.findByText("Mara");
  const changed = { handle: "Kestrel", overall: 22, pu_player_kills: 11, pve_kills: 7, vehicle_destructions: 4 };
  applyLiveEvents(client, [
    { id: "1", name: "activity", data: kill(10, "Kestrel", "Orla") },
    { id: "2", name: "player", data: { ...player, ...changed, rank_overall: 11 } },
  ]);
  expect((await screen.findByText("Orla")).parentElement).toHaveTextContent("Kestrel killed Orla");
  expect(screen.queryByText(/Mara/)).toBeNull();
  await waitFor(() => expect(screen.getByText("#11")).toBeInTheDocument());
  expect(screen.getByText("11")).toBeInTheDocument();
});

test("a hidden player shows nothing at all", async () => {
  const { container } = await show({ handle: "Kestrel", is_hidden: true });
  await waitFor(() => expect(document.title).toContain("kestrel"));
  expect(container.querySelector("main")).toBeNull();
});
