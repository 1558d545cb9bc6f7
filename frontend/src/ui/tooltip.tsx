import { type ReactNode, type PointerEvent as ReactPointerEvent, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import css from "./tooltip.module.css";

const GAP_PX = 8;
/** The pointer may take this long to cross from the child to the tip. */
const LEAVE_DELAY_MS = 200;

/**
 * Shows `tip` beside its child on hover, focus and tap. The pointer may move onto the tip, Esc closes it without moving focus or
 * pointer, and otherwise it stays until both have left (WCAG 1.4.13). The child must take focus and `describedBy`.
 */
export function Tooltip({
  tip,
  children,
}: {
  tip: ReactNode;
  children: (describedBy: string | undefined) => ReactNode;
}) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const layer = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [at, setAt] = useState<{ x: number; y: number; above: boolean } | null>(null);
  const isShown = at !== null;
  const show = () => {
    clearTimeout(timer.current);
    const box = anchor.current?.getBoundingClientRect();
    if (!box) return;
    const above = box.top > window.innerHeight / 2;
    setAt({ x: box.left + box.width / 2, y: above ? box.top - GAP_PX : box.bottom + GAP_PX, above });
  };
  const hide = () => {
    clearTimeout(timer.current);
    setAt(null);
  };
  // A finger leaves with every tap; a tap elsewhere closes.
  const enter = (event: ReactPointerEvent) => event.pointerType !== "touch" && show();
  const leave = (event: ReactPointerEvent) => {
    if (event.pointerType === "touch") return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!anchor.current?.contains(document.activeElement)) setAt(null);
    }, LEAVE_DELAY_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isShown) return;
    const close = () => {
      clearTimeout(timer.current);
      setAt(null);
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // What lies below, such as a dialog, stays open.
      event.stopPropagation();
      event.preventDefault();
      close();
    };
    const outside = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!anchor.current?.contains(target) && !layer.current?.contains(target)) close();
    };
    document.addEventListener("keydown", press, true);
    document.addEventListener("pointerdown", outside, true);
    // The tip has a fixed place, its child moves with the page.
    document.addEventListener("scroll", close, true);
    return () => {
      document.removeEventListener("keydown", press, true);
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("scroll", close, true);
    };
  }, [isShown]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens; the child is what one acts on
    // biome-ignore lint/a11y/useKeyWithClickEvents: focus does for keys what a tap does
    <span
      ref={anchor}
      className={css.anchor}
      onPointerEnter={enter}
      onPointerLeave={leave}
      onClick={show}
      onFocus={show}
      onBlur={hide}
    >
      {children(at ? id : undefined)}
      {at &&
        createPortal(
          <span
            ref={layer}
            role="tooltip"
            id={id}
            className={css.layer}
            style={{ left: 0, top: at.y }}
            data-above={at.above}
          >
            <span className={css.tip} style={{ "--x": `${at.x}px` } as React.CSSProperties}>
              {tip}
            </span>
          </span>,
          document.body,
        )}
    </span>
  );
}
