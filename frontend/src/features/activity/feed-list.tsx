// A whole feed: its rows, a way past them for the keyboard, and the button that brings new rows in. A long feed has only the rows
// near the screen in the document.
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

/** A feed of more rows is long. The first page of a feed is not, so that it needs no further script. */
const VIRTUALIZE_ABOVE_ROWS = 120;
/** A row counts as new this long after it was first shown. */
const HIGHLIGHT_MS = 6_000;
const END_ID = "feed-end";

interface FeedListProps {
  buffered: BufferedFeed;
  label: string;
  /** More rows exist than are loaded. */
  hasMore: boolean;
  /** The end of the list, which loads more: automatically, or by hand while the keyboard is in or after the list. */
  renderEnd: (isManual: boolean, onMore: () => void) => ReactNode;
  onMore: () => void;
}

export function FeedList({ buffered, label, hasMore, renderEnd, onMore }: FeedListProps) {
  const { visibleRows: rows, pendingCount, isFull, showPending, setReading } = buffered;
  const section = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const newest = useRef<HTMLDivElement>(null);
  const now = useNow();
  const isFresh = useRecentArrivals(rows[0]);
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
    const at = focusIndex.current;
    if (at === null || rows.length <= at) return;
    focusIndex.current = null;
    // The button that loaded them is gone: the keyboard goes on with the first of the new rows.
    list.current?.querySelector<HTMLElement>(`[data-index="${at}"] a`)?.focus();
  }, [rows.length]);
  const renderRow = (row: ActivityRow, at: number, place?: ItemProps) => (
    <ActivityItem
      key={row.id}
      row={row}
      now={now}
      isNew={isFresh(row)}
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
    // The button is about to go; the focus stays at the feed, outside of its rows, where it holds nothing.
    section.current?.focus({ preventScroll: true });
    section.current?.scrollIntoView({ block: "start", behavior: "instant" });
    // Once the list has noticed that it is at its top; before, it would keep the place of the rows that were on screen.
    requestAnimationFrame(() => requestAnimationFrame(showPending));
  };
  return (
    <section ref={section} tabIndex={-1} aria-label={label} className={css.feed}>
      <a href={`#${END_ID}`} className={css.skip}>
        Skip to the end of the list
      </a>
      <p role="status" className="visually-hidden">
        {pendingCount > 0 ? "New events are waiting above the list." : ""}
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
          // The rest follows once it can be drawn in part.
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

/** What renders a long list, with the heights of the rows so far; null until it is loaded. */
function useVirtualRows(list: RefObject<HTMLUListElement | null>, isLong: boolean) {
  const [long, setLong] = useState<Virtualized | "failed" | null>(null);
  useEffect(() => {
    if (!isLong) return;
    let isGone = false;
    import("./virtual-rows").then(
      ({ default: Rows }) => {
        if (isGone) return;
        const items = [...(list.current?.children ?? [])] as HTMLElement[];
        setLong({ Rows, heights: new Map(items.map((item) => [item.dataset.id ?? "", item.offsetHeight])) });
      },
      // Without it, all rows are in the document.
      () => !isGone && setLong("failed"),
    );
    return () => {
      isGone = true;
    };
  }, [list, isLong]);
  return isLong ? long : null;
}

/** Whether a row arrived after the list was first shown, and only just. */
function useRecentArrivals(newest: ActivityRow | undefined): (row: ActivityRow) => boolean {
  const [first, setFirst] = useState(newest);
  const [arrivals] = useState(() => new Map<string, number>());
  if (!first && newest) setFirst(newest);
  return (row) => {
    if (!first || compareActivity(row, first) >= 0) return false;
    const at = arrivals.get(row.id) ?? Date.now();
    arrivals.set(row.id, at);
    return Date.now() - at < HIGHLIGHT_MS;
  };
}

/** Whether the page is scrolled past a sticky element that stands at the top of the list. */
function useScrolledPast(mark: RefObject<HTMLElement | null>): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const element = mark.current;
    const place = element?.parentElement;
    if (!element || !place) return;
    // Where it sticks, below what else sticks to the top of the window.
    const top = Number.parseFloat(getComputedStyle(element).top) || 0;
    const check = () => setAway(place.getBoundingClientRect().top < top - 1);
    check();
    window.addEventListener("scroll", check, { passive: true });
    window.addEventListener("resize", check);
    return () => {
      window.removeEventListener("scroll", check);
      window.removeEventListener("resize", check);
    };
  }, [mark]);
  return isAway;
}

/** Whether the keyboard's focus is in an element or after it: then nothing may push away what Tab is about to reach. */
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
