import { type CSSProperties, type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { LEAVE_DELAY_MS, type TipPosition, tipPosition, useTipDismissal } from "./tip";
import css from "./tooltip.module.css";

const GAP_PX = 8;

interface TooltipProps {
  tip: ReactNode;
  children: (describedBy: string | undefined) => ReactNode;
}

/**
 * A tooltip on hover, focus and tap. The pointer may move onto it, Esc closes it, and it remains until pointer and focus have
 * left (WCAG 1.4.13). The child must be focusable and take `describedBy`.
 */
export function Tooltip({ tip, children }: TooltipProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const layer = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [position, setPosition] = useState<TipPosition | null>(null);
  const show = () => {
    clearTimeout(timer.current);
    if (anchor.current) setPosition(tipPosition(anchor.current, GAP_PX));
  };
  const hide = () => {
    clearTimeout(timer.current);
    setPosition(null);
  };
  const hideUnlessFocused = () => !anchor.current?.contains(document.activeElement) && hide();
  // Touch pointers leave after every tap; a tap elsewhere closes.
  const enter = (event: PointerEvent) => event.pointerType !== "touch" && show();
  const leave = (event: PointerEvent) => {
    if (event.pointerType === "touch") return;
    clearTimeout(timer.current);
    timer.current = setTimeout(hideUnlessFocused, LEAVE_DELAY_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const isInside = (target: Node) => [anchor, layer].some(({ current }) => current?.contains(target));
  useTipDismissal(position !== null, isInside, hide);
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
            ref={layer}
            role="tooltip"
            id={id}
            className={css.layer}
            style={{ left: 0, top: position.y }}
            data-above={position.above}
          >
            <span className={css.tip} style={{ "--x": `${position.x}px` } as CSSProperties}>
              {tip}
            </span>
          </span>,
          document.body,
        )}
    </span>
  );
}
