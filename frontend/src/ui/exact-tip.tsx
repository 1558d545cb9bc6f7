import { type CSSProperties, type RefObject, useEffect, useRef, useState } from "react";
import css from "./exact-tip.module.css";
import { LEAVE_DELAY_MS, type TipPosition, tipPosition, useTipDismissal } from "./tip";
import { useDocumentEvents } from "./use-document-events";

const NUMBER_SELECTOR = "[data-exact]";
/** On touch screens also elements with a `title`, which touch cannot show. */
const TOUCH_SELECTOR = "[data-exact], [title]:not(a, button, a *, button *)";

interface Shown extends TipPosition {
  text: string;
}

/**
 * A tooltip with the exact value of an abbreviated number (`data-exact`), on hover, also below a row's link, and on tap. Esc, a
 * tap elsewhere and scrolling hide it; the pointer may move onto it. Rendered once, by the layout. Screen readers read the
 * exact value in the text.
 */
export default function ExactTip() {
  const tooltip = useRef<HTMLSpanElement>(null);
  const shown = useShown(tooltip);
  if (!shown) return null;
  return (
    <span
      ref={tooltip}
      aria-hidden="true"
      className={css.tip}
      data-above={shown.above}
      // Shifts the tooltip to the left in proportion to its position, so that it remains within the window.
      style={{ left: shown.x, top: shown.y, "--left": `${(-100 * shown.x) / window.innerWidth}%` } as CSSProperties}
    >
      {shown.text}
    </span>
  );
}

/** Returns what the tooltip shows for the element that is hovered or was tapped. */
function useShown(tooltip: RefObject<Element | null>): Shown | null {
  const [shown, setShown] = useState<Shown | null>(null);
  const shownFor = useRef<Element>(null);
  const frame = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pressedPointer = useRef("");
  const show = (element: Element | null) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (element === shownFor.current) return;
    shownFor.current = element;
    setShown(element && { text: exactText(element), ...tipPosition(element) });
  };
  const hide = () => show(null);
  const showAt = (x: number, y: number) => {
    const [top, ...below] = document.elementsFromPoint?.(x, y) ?? [];
    if (!top || tooltip.current?.contains(top)) return;
    const number = numberAt(top, below);
    if (number) show(number);
    else if (shownFor.current) timer.current ??= setTimeout(hide, LEAVE_DELAY_MS);
  };
  useDocumentEvents({
    pointermove: ({ pointerType, clientX, clientY }) => {
      if (pointerType === "touch") return;
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => showAt(clientX, clientY));
    },
    pointerdown: ({ pointerType }) => {
      pressedPointer.current = pointerType;
    },
    click: (event) => {
      if (pressedPointer.current !== "touch" || !(event.target instanceof Element)) return;
      const tapped = event.target.closest(TOUCH_SELECTOR);
      if (!tapped) return;
      event.preventDefault();
      event.stopPropagation();
      show(tapped === shownFor.current ? null : tapped);
    },
  });
  const isInside = (target: Node) => [shownFor, tooltip].some(({ current }) => current?.contains(target));
  useTipDismissal(shown !== null, isInside, hide);
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current);
      clearTimeout(timer.current);
    },
    [],
  );
  return shown;
}

/** Returns the number at a point, from the topmost element and those below: a row's link covers numbers; a dialog hides them. */
function numberAt(top: Element, below: readonly Element[]): Element | undefined {
  const found = [top, ...below].map((one) => one.closest(NUMBER_SELECTOR)).find((one) => one !== null);
  return found && (found.contains(top) || found.closest("li, tr")?.contains(top)) ? found : undefined;
}

const exactText = (element: Element) => element.getAttribute("data-exact") ?? element.getAttribute("title") ?? "";
