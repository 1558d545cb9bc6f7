import { useEffect, useRef } from "react";
import { Button } from "./button";
import { isInView } from "./is-in-view";
import { Spinner } from "./states";

interface LoadMoreProps {
  /** Pixels before the end of the list at which the next page is asked for. */
  threshold: number;
  hasMore: boolean;
  loading: boolean;
  /** A failed page is asked for again only by a button. */
  failed?: boolean;
  /** Asks for the next page by a button instead of on coming into view. */
  isManual?: boolean;
  onMore: () => void;
  loadingText: string;
  /** Said when there is no more. */
  endText?: string;
}

/** The end of an endless list: asks for the next page while it is in view, and shows the state of that request. */
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
    // The whole height of the window above, too: a footer that fills a magnified window hides the end, and the list goes on.
    observer.current = new IntersectionObserver((entries) => isInView(entries) && loadNext.current?.(), {
      rootMargin: `100% 0px ${threshold}px 0px`,
    });
    return () => observer.current?.disconnect();
  }, [threshold]);
  useEffect(() => {
    const end = sentinel.current;
    if (!isObserving || !end) return;
    // The observer reports changes only. Observing again after each render has it report the present state, so that a page
    // that came before `loading` was rendered, or one too short to move the end out of view, is followed by the next.
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
