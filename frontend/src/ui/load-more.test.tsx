import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { LoadMore } from "./load-more";

/** The active observers. `report` calls them as a browser does: several changes in one call. */
const observers = new Set<{ targets: Set<Element>; report: (...inView: boolean[]) => void }>();

beforeEach(() => {
  observers.clear();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      targets = new Set<Element>();
      constructor(readonly callback: (entries: object[]) => void) {
        observers.add(this);
      }
      observe = (target: Element) => void this.targets.add(target);
      unobserve = (target: Element) => void this.targets.delete(target);
      disconnect = () => void observers.delete(this);
      report = (...inView: boolean[]) => this.callback(inView.map((isIntersecting) => ({ isIntersecting })));
    },
  );
});

function renderLoadMore(more: Partial<Parameters<typeof LoadMore>[0]> = {}) {
  const onMore = vi.fn();
  const list = (now: Partial<Parameters<typeof LoadMore>[0]>) => (
    <LoadMore threshold={200} hasMore loading={false} onMore={onMore} loadingText="Loading..." {...more} {...now} />
  );
  const { rerender } = render(list({}));
  return { onMore, change: (now: Partial<Parameters<typeof LoadMore>[0]>) => rerender(list(now)) };
}

const report = (...inView: boolean[]) =>
  act(() => {
    for (const observer of observers) if (observer.targets.size > 0) observer.report(...inView);
  });

test("of several changes in one call the last one counts", () => {
  const { onMore } = renderLoadMore();
  report(false, true);
  expect(onMore).toHaveBeenCalledTimes(1);
  report(true, false);
  expect(onMore).toHaveBeenCalledTimes(1);
});

test("a render does not lose a pending change", () => {
  const { onMore, change } = renderLoadMore();
  const [before] = observers;
  change({});
  act(() => before?.report(true));
  expect(onMore).toHaveBeenCalledTimes(1);
});

test("coming into view while a page loads requests nothing; afterwards the end is observed again", () => {
  const { onMore, change } = renderLoadMore();
  const observe = vi.fn();
  change({ loading: true });
  report(true);
  expect(onMore).not.toHaveBeenCalled();
  for (const observer of observers) Object.assign(observer, { observe });
  change({ loading: false });
  expect(observe).toHaveBeenCalled();
});

test("in manual mode only the button loads more", async () => {
  const { onMore } = renderLoadMore({ isManual: true });
  report(true);
  expect(onMore).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Load more" }));
  expect(onMore).toHaveBeenCalledTimes(1);
});
