import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyLiveEvents } from "../features/live/live-updates";
import { activityRow } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

const list = () => screen.findByRole("list", { name: "Live activity" });
/** The players of the rows. */
const shown = async () =>
  within(await list())
    .getAllByRole("link", { name: /^Pilot_/ })
    .map((link) => link.textContent);

// The height of a row. jsdom has no layout; without heights all rows would be visible.
beforeEach(() => void vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(66));
afterEach(() => void vi.restoreAllMocks());

async function open(at = "/activity", requests: URL[] = []) {
  mockApi((url) => {
    if (url.pathname !== "/api/activity") return undefined;
    requests.push(url);
    return { data: [activityRow(2), activityRow(1)] };
  });
  const page = await renderPage(at);
  const arrive = (...ids: number[]) =>
    act(async () => {
      applyLiveEvents(
        page.client,
        ids.map((id) => ({ id: String(id), name: "activity" as const, data: activityRow(id) })),
      );
      await new Promise((resolve) => requestAnimationFrame(resolve));
    });
  return { ...page, arrive };
}

test("rows that arrive appear at the top", async () => {
  const { arrive } = await open();
  await list();
  await arrive(3);
  expect(await shown()).toEqual(["Pilot_3", "Pilot_2", "Pilot_1"]);
});

test("hovering freezes the list; new rows are counted and shown on a click", async () => {
  const user = userEvent.setup();
  const { arrive } = await open();
  await user.hover(await list());
  await arrive(3, 4);
  expect(await shown()).toEqual(["Pilot_2", "Pilot_1"]);
  await user.unhover(await list());
  await arrive(5);
  await user.click(screen.getByRole("button", { name: "Show 3 new events" }));
  await waitFor(async () => expect(await shown()).toEqual(["Pilot_5", "Pilot_4", "Pilot_3", "Pilot_2", "Pilot_1"]));
  await arrive(6);
  expect((await shown())[0]).toBe("Pilot_6");
});

test("focus in the list also freezes it", async () => {
  const { arrive } = await open();
  const first = within(await list()).getAllByRole("link")[0];
  act(() => first?.focus());
  await arrive(3);
  expect(await shown()).toEqual(["Pilot_2", "Pilot_1"]);
});

test("a feed scrolled away from its top is frozen, and the button shows the new rows", async () => {
  const getRect = vi.spyOn(Element.prototype, "getBoundingClientRect");
  const scrollTo = (top: number) => {
    getRect.mockReturnValue({ ...new DOMRect(), top } as DOMRect);
    fireEvent.scroll(window);
  };
  const { arrive } = await open();
  await list();
  scrollTo(-500);
  await arrive(3);
  await arrive(4);
  expect(await shown()).toEqual(["Pilot_2", "Pilot_1"]);
  await userEvent.click(screen.getByRole("button", { name: "Show 2 new events" }));
  await waitFor(async () => expect(await shown()).toEqual(["Pilot_4", "Pilot_3", "Pilot_2", "Pilot_1"]));
  await arrive(5);
  expect(screen.getByRole("button", { name: "Show 1 new event" })).toBeInTheDocument();
});

test("a feed with more pending rows than it stores is refetched", async () => {
  const requests: URL[] = [];
  const { arrive } = await open("/activity", requests);
  await list();
  await userEvent.click(screen.getByRole("button", { name: "Pause" }));
  await arrive(...Array.from({ length: 1_200 }, (_, index) => 3 + index));
  expect(requests).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Show 1,000+ new events" }));
  await waitFor(() => expect(requests).toHaveLength(2));
  await waitFor(() => expect(screen.queryByRole("button", { name: /new events/ })).toBeNull());
});

test("the button pauses and resumes the feed", async () => {
  const { arrive } = await open();
  await list();
  await userEvent.click(screen.getByRole("button", { name: "Pause" }));
  await arrive(3);
  expect(await shown()).toEqual(["Pilot_2", "Pilot_1"]);
  expect(screen.getByRole("button", { name: "Show 1 new event" })).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Resume" }));
  expect(await shown()).toEqual(["Pilot_3", "Pilot_2", "Pilot_1"]);
});

test("the filter is in the URL", async () => {
  const requests: URL[] = [];
  const { address } = await open("/activity", requests);
  await userEvent.click(await screen.findByRole("link", { name: "PVE" }));
  expect(address().search).toBe("?filter=pve");
  await list();
  expect(requests.at(-1)?.searchParams.get("filter")).toBe("pve");
  expect(screen.getByRole("link", { name: "PVE" })).toHaveAttribute("aria-current", "true");
});

test.each([
  ["/activity", "No Recent Activity"],
  ["/activity?filter=missions", "No Missions Activity"],
])("an empty feed at %s shows a message", async (at, text) => {
  mockApi(() => ({ data: [] }));
  await renderPage(at);
  expect(await screen.findByText(text)).toBeInTheDocument();
});
