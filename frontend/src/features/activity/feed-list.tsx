// A feed with its rows, a skip link for keyboard users and the button that shows pending rows. Long feeds are virtualized.
import { ArrowUp } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { compareActivity } from "../../api/compare-activity";
import type { ActivityRow } from "../../api/types";
import { exact } from "../../lib/numbers";
import { Button } from "../../ui/button";
import { useNow } from "../../ui/use-now";
import { ActivityItem, type ItemProps } from "./activity-item";
import css from "./feed-list.module.css";
import type { BufferedFeed } from "./use-buffered-feed";

/** Longer feeds are virtualized. The first page is shorter, so it needs no additional script. */
const VIRTUALIZE_ABOVE_ROWS = 120;
/** How long a new row is highlighted. */
const HIGHLIGHT_MS = 6_000;
const END_ID = "feed-end";

interface FeedListProps {
  buffered: BufferedFeed;
  label: string;
  /** More rows exist on the server. */
  hasMore: boolean;
  /**
   * Renders the end of the list, which loads more rows: automatically, or by a button while the keyboard focus is in or after
   * the list.
   */
  renderEnd: (isManual: boolean, onMore: () => void) => ReactNode;
  onMore: () => void;
}

export function FeedList({ buffered, label, hasMore, renderEnd, onMore }: FeedListProps) {
  const { visibleRows: rows, pendingCount, isFull, showPending, setReading } = buffered;
  const section = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const newest = useRef<HTMLDivElement>(null);
  const now = useNow();
  const isNew = useRecentArrivals(rows[0]);
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const isScrolledPast = useScrolledPast(newest);
  const isManual = useKeyboardAtOrAfter(list);
  const isReading = isHovered || isFocused || isScrolledPast;
  useEffect(() => setReading(isReading), [isReading, setReading]);
  const virtualized = useVirtualRows(list, rows.length > VIRTUALIZE_ABOVE_ROWS);
  const focusIndex = useRef<number | null>(null);
  useEffect(() => {
    const index = focusIndex.current;
    if (index === null || rows.length <= index) return;
    focusIndex.current = null;
    // The button that loaded them has disappeared: move the focus to the first of the new rows.
    list.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus();
  }, [rows.length]);
  const renderRow = (row: ActivityRow, at: number, place?: ItemProps) => (
    <ActivityItem
      key={row.id}
      row={row}
      now={now}
      isNew={isNew(row)}
      item={{
        ...place,
        "data-index": at,
        "data-id": row.id,
        "aria-posinset": at + 1,
        "aria-setsize": hasMore ? -1 : rows.length,
      }}
    />
  );
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
      <div ref={newest} className={css.pending}>
        {pendingCount > 0 && (
          <Button onClick={scrollToNewest}>
            <ArrowUp size={16} aria-hidden="true" />
            {pendingCount === 1 ? "Show 1 new event" : `Show ${exact(pendingCount)}${isFull ? "+" : ""} new events`}
          </Button>
        )}
      </div>
      <ul
        ref={list}
        role="list"
        aria-label={label}
        onPointerEnter={(event) => event.pointerType === "mouse" && setHovered(true)}
        onPointerLeave={() => setHovered(false)}
        onFocus={(event) => {
          setFocused(true);
          setFocusedId(event.target.closest("li")?.dataset.id ?? null);
        }}
        onBlur={(event) => {
          if (event.currentTarget.contains(event.relatedTarget)) return;
          setFocused(false);
          setFocusedId(null);
        }}
      >
        {virtualized && virtualized !== "failed" ? (
          <virtualized.Rows
            list={list}
            rows={rows}
            heights={virtualized.heights}
            focusedId={focusedId}
            renderRow={renderRow}
          />
        ) : (
          // Further rows follow once virtualization is loaded.
          (virtualized === "failed" ? rows : rows.slice(0, VIRTUALIZE_ABOVE_ROWS)).map((row, index) =>
            renderRow(row, index),
          )
        )}
      </ul>
      {renderEnd(isManual, () => {
        if (isManual) focusIndex.current = rows.length;
        onMore();
      })}
      <div id={END_ID} tabIndex={-1} className={css.end} />
    </section>
  );
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

/** Reports whether the page is scrolled past the sticky element at the top of the list. */
function useScrolledPast(ref: RefObject<HTMLElement | null>): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const element = ref.current;
    const place = element?.parentElement;
    if (!element || !place) return;
    // Its sticky position, below other sticky elements.
    const top = Number.parseFloat(getComputedStyle(element).top) || 0;
    const check = () => setAway(place.getBoundingClientRect().top < top - 1);
    check();
    window.addEventListener("scroll", check, { passive: true });
    window.addEventListener("resize", check);
    return () => {
      window.removeEventListener("scroll", check);
      window.removeEventListener("resize", check);
    };
  }, [ref]);
  return isAway;
}

/** Reports whether the keyboard focus is in an element or after it. Automatic loading would then move what Tab reaches next. */
function useKeyboardAtOrAfter(element: RefObject<HTMLElement | null>): boolean {
  const [isBelow, setBelow] = useState(false);
  useEffect(() => {
    const enter = ({ target }: FocusEvent) => {
      const { current } = element;
      if (!(target instanceof Element) || !current) return;
      const place = current.compareDocumentPosition(target);
      const isAtOrAfter = place & (Node.DOCUMENT_POSITION_CONTAINED_BY | Node.DOCUMENT_POSITION_FOLLOWING);
      setBelow(isAtOrAfter !== 0 && target.matches(":focus-visible"));
    };
    const leave = ({ relatedTarget }: FocusEvent) => relatedTarget === null && setBelow(false);
    document.addEventListener("focusin", enter);
    document.addEventListener("focusout", leave);
    return () => {
      document.removeEventListener("focusin", enter);
      document.removeEventListener("focusout", leave);
    };
  }, [element]);
  return isBelow;
}
