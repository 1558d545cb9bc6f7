import { useEffect, useRef } from "react";
import { Button } from "./button";
import { Spinner } from "./states";

interface LoadMoreProps {
  /** Pixels before the end of the list at which the next page is asked for. */
  threshold: number;
  hasMore: boolean;
  loading: boolean;
  /** A failed page is not asked for again by itself: a button offers it. */
  failed?: boolean;
  onMore: () => void;
  loadingText: string;
  /** Said when there is no more. */
  endText?: string;
}

/** The end of an endless list: watches for its own coming into view, and says what goes on. */
export function LoadMore({ threshold, hasMore, loading, failed = false, onMore, loadingText, endText }: LoadMoreProps) {
  const mark = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  useEffect(() => {
    more.current = onMore;
  });
  const watching = hasMore && !loading && !failed;
  useEffect(() => {
    if (!watching || !mark.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more.current(), {
      rootMargin: `0px 0px ${threshold}px 0px`,
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
    // With every drawing: a page that came so fast that `loading` was never seen, or that was short, is followed by the next.
  });
  return (
    <div ref={mark} style={{ minHeight: 52, display: "grid", placeItems: "center" }}>
      {loading ? <Spinner label={loadingText} /> : null}
      {failed && !loading ? <Button onClick={onMore}>Try again</Button> : null}
      {!hasMore && !loading && endText ? <p className="quiet">{endText}</p> : null}
    </div>
  );
}
