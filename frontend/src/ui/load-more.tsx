import { useEffect, useRef } from "react";
import { Button } from "./button";
import { isInView } from "./is-in-view";
import { Spinner } from "./states";

interface LoadMoreProps {
  /** Distance from the end of the list at which the next page loads, in pixels. */
  threshold: number;
  hasMore: boolean;
  loading: boolean;
  /** A failed page is only requested again by a button. */
  failed?: boolean;
  /** Loads the next page by a button instead of automatically. */
  isManual?: boolean;
  onMore: () => void;
  loadingText: string;
  /** Shown at the end of the list. */
  endText?: string;
}

/** The end of an infinite list: loads the next page when it comes into view, and shows the state of the request. */
export function LoadMore({
  threshold,
  hasMore,
  loading,
  failed = false,
  isManual = false,
  onMore,
  loadingText,
  endText,
}: LoadMoreProps) {
  const sentinel = useRef<HTMLDivElement>(null);
  const observer = useRef<IntersectionObserver>(null);
  const loadNext = useRef<(() => void) | null>(null);
  const isObserving = hasMore && !loading && !failed && !isManual;
  useEffect(() => {
    loadNext.current = isObserving ? onMore : null;
  });
  useEffect(() => {
    if (!sentinel.current) return;
    // The margin above covers a zoomed window in which the footer hides the end of the list.
    observer.current = new IntersectionObserver((entries) => isInView(entries) && loadNext.current?.(), {
      rootMargin: `100% 0px ${threshold}px 0px`,
    });
    return () => observer.current?.disconnect();
  }, [threshold]);
  useEffect(() => {
    const end = sentinel.current;
    if (!isObserving || !end) return;
    // The observer only reports changes. Observing again after each render makes it report the current state, so that loading
    // continues if the end is still in view.
    observer.current?.unobserve(end);
    observer.current?.observe(end);
  });
  return (
    <div ref={sentinel} style={{ minHeight: 52, display: "grid", placeItems: "center" }}>
      {loading ? <Spinner label={loadingText} /> : null}
      {failed && !loading ? <Button onClick={onMore}>Try again</Button> : null}
      {isManual && hasMore && !loading && !failed ? <Button onClick={onMore}>Load more</Button> : null}
      {!hasMore && !loading && endText ? <p className="quiet">{endText}</p> : null}
    </div>
  );
}
