// A feed with its rows, a skip link for keyboard users and the button that shows pending rows. Its end loads more rows:
// automatically, or by a button while the keyboard focus is in or after the list. Long feeds are virtualized.
import { ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { compareActivity } from "../../api/compare-activity";
import type { ActivityRow } from "../../api/types";
import { exact } from "../../lib/numbers";
import { Button } from "../../ui/button";
import { LoadMore } from "../../ui/load-more";
import { useNow } from "../../ui/use-now";
import { ActivityItem, type ItemProps } from "./activity-item";
import css from "./feed-list.module.css";
import type { ActivityFeed } from "./use-activity-feed";
import type { BufferedFeed } from "./use-buffered-feed";
import { useFocusFirstAppended, useKeyboardAtOrAfter, useScrolledPast, useUserInside } from "./use-reading";

/** Longer feeds are virtualized. The first page is shorter, so it needs no additional script. */
const VIRTUALIZE_ABOVE_ROWS = 120;
/** How long a new row is highlighted. */
const HIGHLIGHT_MS = 6_000;
const END_ID = "feed-end";

interface FeedListProps {
  feed: ActivityFeed;
  label: string;
  /** Distance from the end of the list at which the next page loads, in pixels. */
  threshold: number;
  loadingText: string;
  /** Shown after the last page. */
  endText: string;
}

export function FeedList({ feed: { query, buffered }, label, threshold, loadingText, endText }: FeedListProps) {
  const { visibleRows: rows, pendingCount, showPending, setReading } = buffered;
  const section = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const { isInside, focusedId, handlers } = useUserInside();
  const isScrolledPast = useScrolledPast(top);
  const isManual = useKeyboardAtOrAfter(list);
  const isReading = isInside || isScrolledPast;
  useEffect(() => setReading(isReading), [isReading, setReading]);
  const focusFirstAppended = useFocusFirstAppended(list, rows.length);
  const loadMore = () => {
    if (isManual) focusFirstAppended();
    void query.fetchNextPage();
  };
  const scrollToNewest = () => {
    // The button is about to disappear. Focus on the section does not freeze the feed; focus on a row would.
    section.current?.focus({ preventScroll: true });
    section.current?.scrollIntoView({ block: "start", behavior: "instant" });
    // Wait until the list has detected that it is at its top; before that it would keep the visible rows in place.
    requestAnimationFrame(() => requestAnimationFrame(showPending));
  };
  return (
    <section ref={section} tabIndex={-1} aria-label={label} className={css.feed}>
      <a href={`#${END_ID}`} className={css.skip}>
        Skip to the end of the list
      </a>
      <p role="status" className="visually-hidden">
        {pendingCount > 0 ? "New events are available above the list." : ""}
      </p>
      <div ref={top} className={css.pending}>
        {pendingCount > 0 && (
          <Button onClick={scrollToNewest}>
            <ArrowUp size={16} aria-hidden="true" />
            {pendingText(buffered)}
          </Button>
        )}
      </div>
      <ul ref={list} role="list" aria-label={label} {...handlers}>
        <Rows list={list} rows={rows} hasMore={query.hasNextPage} focusedId={focusedId} />
      </ul>
      <LoadMore
        threshold={threshold}
        hasMore={query.hasNextPage}
        loading={query.isFetchingNextPage}
        failed={query.isFetchNextPageError}
        isManual={isManual}
        onMore={loadMore}
        loadingText={loadingText}
        endText={endText}
      />
      <div id={END_ID} tabIndex={-1} className={css.end} />
    </section>
  );
}

function pendingText({ pendingCount, isFull }: BufferedFeed): string {
  return pendingCount === 1 ? "Show 1 new event" : `Show ${exact(pendingCount)}${isFull ? "+" : ""} new events`;
}

interface RowsProps {
  list: RefObject<HTMLUListElement | null>;
  rows: readonly ActivityRow[];
  hasMore: boolean;
  /** The row that has the keyboard focus. */
  focusedId: string | null;
}

function Rows({ list, rows, hasMore, focusedId }: RowsProps) {
  const now = useNow();
  const isNew = useRecentArrivals(rows[0]);
  const virtualized = useVirtualRows(list, rows.length > VIRTUALIZE_ABOVE_ROWS);
  const renderRow = (row: ActivityRow, index: number, position?: ItemProps) => (
    <ActivityItem
      key={row.id}
      row={row}
      now={now}
      isNew={isNew(row)}
      item={{
        ...position,
        "data-index": index,
        "data-id": row.id,
        "aria-posinset": index + 1,
        "aria-setsize": hasMore ? -1 : rows.length,
      }}
    />
  );
  if (virtualized && virtualized !== "failed") {
    return <virtualized.Rows {...{ list, rows, focusedId, renderRow }} heights={virtualized.heights} />;
  }
  // The remaining rows appear when virtualization has loaded.
  const shown = virtualized === "failed" ? rows : rows.slice(0, VIRTUALIZE_ABOVE_ROWS);
  return shown.map((row, index) => renderRow(row, index));
}

type VirtualRows = typeof import("./virtual-rows").default;

interface Virtualized {
  Rows: VirtualRows;
  heights: ReadonlyMap<string, number>;
}

/** Loads the virtual list on demand, with the heights of the rendered rows; null until it is loaded. */
function useVirtualRows(list: RefObject<HTMLUListElement | null>, isLong: boolean) {
  const [long, setLong] = useState<Virtualized | "failed" | null>(null);
  useEffect(() => {
    if (!isLong) return;
    let isCancelled = false;
    import("./virtual-rows").then(
      ({ default: Rows }) => {
        if (isCancelled) return;
        const items = [...(list.current?.children ?? [])] as HTMLElement[];
        setLong({ Rows, heights: new Map(items.map((item) => [item.dataset.id ?? "", item.offsetHeight])) });
      },
      // Without the chunk, all rows are rendered.
      () => !isCancelled && setLong("failed"),
    );
    return () => {
      isCancelled = true;
    };
  }, [list, isLong]);
  return isLong ? long : null;
}

/** Reports whether a row arrived after the list was first shown, and within `HIGHLIGHT_MS`. */
function useRecentArrivals(newest: ActivityRow | undefined): (row: ActivityRow) => boolean {
  const [first, setFirst] = useState(newest);
  const [arrivals] = useState(() => new Map<string, number>());
  if (!first && newest) setFirst(newest);
  return (row) => {
    if (!first || compareActivity(row, first) >= 0) return false;
    const arrivedAt = arrivals.get(row.id) ?? Date.now();
    arrivals.set(row.id, arrivedAt);
    return Date.now() - arrivedAt < HIGHLIGHT_MS;
  };
}
