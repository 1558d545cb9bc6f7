import { type CSSProperties, useEffect, useRef, useState } from "react";
import css from "./exact-tip.module.css";

const NUMBER_SELECTOR = "[data-exact]";
/** On touch screens also elements with a `title`, which touch cannot show. */
const TOUCH_SELECTOR = "[data-exact], [title]:not(a, button, a *, button *)";
/** The time for the pointer to move from the number to the tooltip. */
const LEAVE_DELAY_MS = 200;

interface Shown {
  text: string;
  x: number;
  y: number;
  above: boolean;
}

/**
 * A tooltip with the exact value of an abbreviated number (`data-exact`), on hover, also below a row's link, and on tap. Esc, a
 * tap elsewhere and scrolling hide it; the pointer may move onto it. Rendered once, by the layout. Screen readers read the
 * exact value in the text.
 */
export default function ExactTip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const tooltip = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let shownFor: Element | null = null;
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pressedPointer = "";
    const hide = () => {
      clearTimeout(timer);
      timer = undefined;
      shownFor = null;
      setShown(null);
    };
    const show = (of: Element) => {
      clearTimeout(timer);
      timer = undefined;
      if (of === shownFor) return;
      shownFor = of;
      const box = of.getBoundingClientRect();
      const above = box.top > window.innerHeight / 2;
      const text = of.getAttribute("data-exact") ?? of.getAttribute("title") ?? "";
      setShown({ text, x: box.left + box.width / 2, y: above ? box.top : box.bottom, above });
    };
    const showAt = (x: number, y: number) => {
      const [top, ...below] = document.elementsFromPoint?.(x, y) ?? [];
      if (!top || tooltip.current?.contains(top)) return;
      const found = [top, ...below].map((one) => one.closest(NUMBER_SELECTOR)).find((one) => one !== null);
      // A row's link covers the number; a dialog must hide it.
      if (found && (found.contains(top) || found.closest("li, tr")?.contains(top))) show(found);
      else if (shownFor) timer ??= setTimeout(hide, LEAVE_DELAY_MS);
    };
    const move = ({ pointerType, clientX, clientY }: PointerEvent) => {
      if (pointerType === "touch") return;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => showAt(clientX, clientY));
    };
    const press = ({ pointerType, target }: PointerEvent) => {
      pressedPointer = pointerType;
      if (shownFor && !shownFor.contains(target as Node) && !tooltip.current?.contains(target as Node)) hide();
    };
    const click = (event: MouseEvent) => {
      const touched =
        pressedPointer === "touch" && event.target instanceof Element ? event.target.closest(TOUCH_SELECTOR) : null;
      if (!touched) return;
      event.preventDefault();
      event.stopPropagation();
      if (shownFor === touched) hide();
      else show(touched);
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !shownFor) return;
      event.stopPropagation();
      event.preventDefault();
      hide();
    };
    const scroll = () => shownFor && hide();
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerdown", press, true);
    document.addEventListener("click", click, true);
    document.addEventListener("keydown", key, true);
    document.addEventListener("scroll", scroll, true);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerdown", press, true);
      document.removeEventListener("click", click, true);
      document.removeEventListener("keydown", key, true);
      document.removeEventListener("scroll", scroll, true);
    };
  }, []);
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
