// The rows of a long feed of which only those near the screen are in the document. Loaded once a feed is long.
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { ActivityRow } from "../../api/types";
import type { ItemProps } from "./activity-item";

/** Rows rendered beyond each edge of the screen, so that Tab finds the next one. */
const OVERSCAN = 10;

interface VirtualRowsProps {
  list: RefObject<HTMLUListElement | null>;
  rows: readonly ActivityRow[];
  /** Heights of rows that were rendered before, by id. Pixels. */
  heights: ReadonlyMap<string, number>;
  /** The row with the focus. */
  focusedId: string | null;
  renderRow: (row: ActivityRow, at: number, place: ItemProps) => ReactNode;
}

export default function VirtualRows({ list, rows, heights, focusedId, renderRow }: VirtualRowsProps) {
  const [averageHeight] = useState(
    () => [...heights.values()].reduce((sum, height) => sum + height, 0) / Math.max(1, heights.size),
  );
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (at) => heights.get(rows[at]?.id ?? "") ?? averageHeight,
    overscan: OVERSCAN,
    scrollMargin: useOffsetTop(list),
    getItemKey: (at) => rows[at]?.id ?? at,
    rangeExtractor: (range) => withFocused(range, focusedId ? rows.findIndex((row) => row.id === focusedId) : -1),
    initialOffset: () => window.scrollY,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    useFlushSync: false,
  });
  const height = virtualizer.getTotalSize();
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    element.style.height = `${height}px`;
    return () => {
      element.style.height = "";
    };
  }, [list, height]);
  const isFocusRestored = useRef(false);
  useLayoutEffect(() => {
    if (isFocusRestored.current) return;
    // These rows replace the ones that were all rendered; the focus goes on where it was.
    const items = [...(list.current?.children ?? [])] as HTMLElement[];
    isFocusRestored.current = items.length > 0;
    if (!focusedId || document.activeElement !== document.body) return;
    const item = items.find((one) => one.dataset.id === focusedId);
    item?.querySelector("a")?.focus({ preventScroll: true });
  });
  return virtualizer.getVirtualItems().map(({ index, start }) => {
    const row = rows[index];
    return (
      row &&
      renderRow(row, index, {
        ref: virtualizer.measureElement,
        style: { position: "absolute", insetInline: 0, top: start - virtualizer.options.scrollMargin },
      })
    );
  });
}

/** The rows in range, and the one with the focus with its neighbours: Tab goes on from it wherever the page was scrolled to. */
function withFocused(range: Range, focused: number): number[] {
  const indexes = defaultRangeExtractor(range);
  if (focused < 0) return indexes;
  const near = [focused - 1, focused, focused + 1].filter((at) => at >= 0 && at < range.count);
  return [...new Set([...indexes, ...near])].sort((a, b) => a - b);
}

/** How far below the top of the document an element begins. Pixels. */
function useOffsetTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = element.current?.getBoundingClientRect();
    if (box) setTop(Math.round(box.top + window.scrollY));
  });
  return top;
}
