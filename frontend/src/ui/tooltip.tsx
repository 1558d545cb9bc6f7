import { type ReactNode, type PointerEvent as ReactPointerEvent, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import css from "./tooltip.module.css";

const GAP_PX = 8;
/** The time for the pointer to move from the child to the tooltip. */
const LEAVE_DELAY_MS = 200;

/**
 * A tooltip on hover, focus and tap. The pointer may move onto it, Esc closes it, and it remains until pointer and focus have
 * left (WCAG 1.4.13). The child must be focusable and take `describedBy`.
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
  const tooltip = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [position, setPosition] = useState<{ x: number; y: number; above: boolean } | null>(null);
  const isShown = position !== null;
  const show = () => {
    clearTimeout(timer.current);
    const box = anchor.current?.getBoundingClientRect();
    if (!box) return;
    const above = box.top > window.innerHeight / 2;
    setPosition({ x: box.left + box.width / 2, y: above ? box.top - GAP_PX : box.bottom + GAP_PX, above });
  };
  const hide = () => {
    clearTimeout(timer.current);
    setPosition(null);
  };
  // Touch pointers leave after every tap; a tap elsewhere closes.
  const enter = (event: ReactPointerEvent) => event.pointerType !== "touch" && show();
  const leave = (event: ReactPointerEvent) => {
    if (event.pointerType === "touch") return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!anchor.current?.contains(document.activeElement)) setPosition(null);
    }, LEAVE_DELAY_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isShown) return;
    const close = () => {
      clearTimeout(timer.current);
      setPosition(null);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // An underlying dialog remains open.
      event.stopPropagation();
      event.preventDefault();
      close();
    };
    const onPointerDown = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!anchor.current?.contains(target) && !tooltip.current?.contains(target)) close();
    };
    document.addEventListener("keydown", onKeyDown, true);
    document.addEventListener("pointerdown", onPointerDown, true);
    // The tooltip is fixed while its child scrolls.
    document.addEventListener("scroll", close, true);
    return () => {
      document.removeEventListener("keydown", onKeyDown, true);
      document.removeEventListener("pointerdown", onPointerDown, true);
      document.removeEventListener("scroll", close, true);
    };
  }, [isShown]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes; the child is the control
    // biome-ignore lint/a11y/useKeyWithClickEvents: focus is the keyboard equivalent of a tap
    <span
      ref={anchor}
      className={css.anchor}
      onPointerEnter={enter}
      onPointerLeave={leave}
      onClick={show}
      onFocus={show}
      onBlur={hide}
    >
      {children(position ? id : undefined)}
      {position &&
        createPortal(
          <span
            ref={tooltip}
            role="tooltip"
            id={id}
            className={css.layer}
            style={{ left: 0, top: position.y }}
            data-above={position.above}
          >
            <span className={css.tip} style={{ "--x": `${position.x}px` } as React.CSSProperties}>
              {tip}
            </span>
          </span>,
          document.body,
        )}
    </span>
  );
}
