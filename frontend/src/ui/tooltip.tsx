import { type ReactNode, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import css from "./tooltip.module.css";

const GAP = 8;

/** Shows `tip` beside its child on hover, focus and tap; Esc closes. The child must take focus and `describedBy`. */
export function Tooltip({
  tip,
  children,
}: {
  tip: ReactNode;
  children: (describedBy: string | undefined) => ReactNode;
}) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const [at, setAt] = useState<{ x: number; y: number; above: boolean } | null>(null);
  const show = () => {
    const box = anchor.current?.getBoundingClientRect();
    if (!box) return;
    const above = box.top > window.innerHeight / 2;
    setAt({ x: box.left + box.width / 2, y: above ? box.top - GAP : box.bottom + GAP, above });
  };
  const hide = () => setAt(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens; the child is what one acts on
    <span
      ref={anchor}
      className={css.anchor}
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      onKeyDown={(event) => event.key === "Escape" && hide()}
    >
      {children(at ? id : undefined)}
      {at &&
        createPortal(
          <span role="tooltip" id={id} className={css.layer} style={{ left: 0, top: at.y }} data-above={at.above}>
            <span className={css.tip} style={{ "--x": `${at.x}px` } as React.CSSProperties}>
              {tip}
            </span>
          </span>,
          document.body,
        )}
    </span>
  );
}
