// A virtual list of feed rows. Loaded when a feed is long.
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { ActivityRow } from "../../api/types";
import type { ItemProps } from "./activity-item";

/** Rows rendered beyond each edge of the viewport, so that Tab reaches the next one. */
const OVERSCAN = 10;

interface VirtualRowsProps {
  list: RefObject<HTMLUListElement | null>;
  rows: readonly ActivityRow[];
  /** Heights of rows that have been rendered, by id, in pixels. */
  heights: ReadonlyMap<string, number>;
  /** The id of the focused row. */
  focusedId: string | null;
  renderRow: (row: ActivityRow, index: number, position: ItemProps) => ReactNode;
}

export default function VirtualRows({ list, rows, heights, focusedId, renderRow }: VirtualRowsProps) {
  const [averageHeight] = useState(
    () => [...heights.values()].reduce((sum, height) => sum + height, 0) / Math.max(1, heights.size),
  );
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => heights.get(rows[index]?.id ?? "") ?? averageHeight,
    overscan: OVERSCAN,
    scrollMargin: useOffsetTop(list),
    getItemKey: (index) => rows[index]?.id ?? index,
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
    // The virtual rows replace the plain ones: restore the focus.
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

/** Adds the focused row and its neighbors to the range, so that Tab continues from it at any scroll position. */
function withFocused(range: Range, focused: number): number[] {
  const indexes = defaultRangeExtractor(range);
  if (focused < 0) return indexes;
  const near = [focused - 1, focused, focused + 1].filter((index) => index >= 0 && index < range.count);
  return [...new Set([...indexes, ...near])].sort((a, b) => a - b);
}

/** Returns an element's distance from the top of the document, in pixels. */
function useOffsetTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = element.current?.getBoundingClientRect();
    if (box) setTop(Math.round(box.top + window.scrollY));
  });
  return top;
}
