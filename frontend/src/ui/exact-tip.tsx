import { type CSSProperties, useEffect, useRef, useState } from "react";
import css from "./exact-tip.module.css";

const FIGURES = "[data-exact]";
/** On touch also what has a browser's tip, which no finger can call up. */
const TOUCHABLE = "[data-exact], [title]:not(a, button, a *, button *)";
/** The pointer may take this long to cross from the figure to the tip. */
const LEAVE_MS = 200;

interface Shown {
  text: string;
  x: number;
  y: number;
  above: boolean;
}

/**
 * Shows the exact figure behind a short one (`data-exact`): under the pointer, also where a link covers the whole row, and on a
 * tap. Esc, a tap elsewhere and scrolling hide it; the pointer may move onto it. Rendered once, by the shell. Screen readers
 * have the exact figure in the text.
 */
export default function ExactTip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const layer = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let figure: Element | null = null;
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pressed = "";
    const hide = () => {
      clearTimeout(timer);
      timer = undefined;
      figure = null;
      setShown(null);
    };
    const show = (of: Element) => {
      clearTimeout(timer);
      timer = undefined;
      if (of === figure) return;
      figure = of;
      const box = of.getBoundingClientRect();
      const above = box.top > window.innerHeight / 2;
      const text = of.getAttribute("data-exact") ?? of.getAttribute("title") ?? "";
      setShown({ text, x: box.left + box.width / 2, y: above ? box.top : box.bottom, above });
    };
    const look = (x: number, y: number) => {
      const [top, ...below] = document.elementsFromPoint?.(x, y) ?? [];
      if (!top || layer.current?.contains(top)) return;
      const found = [top, ...below].map((one) => one.closest(FIGURES)).find((one) => one !== null);
      // A link over the row hides the figure from the pointer; a dialog over the page hides it from sight.
      if (found && (found.contains(top) || found.closest("li, tr")?.contains(top))) show(found);
      else if (figure) timer ??= setTimeout(hide, LEAVE_MS);
    };
    const move = ({ pointerType, clientX, clientY }: PointerEvent) => {
      if (pointerType === "touch") return;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => look(clientX, clientY));
    };
    const press = ({ pointerType, target }: PointerEvent) => {
      pressed = pointerType;
      if (figure && !figure.contains(target as Node) && !layer.current?.contains(target as Node)) hide();
    };
    const click = (event: MouseEvent) => {
      const touched = pressed === "touch" && event.target instanceof Element ? event.target.closest(TOUCHABLE) : null;
      if (!touched) return;
      event.preventDefault();
      event.stopPropagation();
      if (figure === touched) hide();
      else show(touched);
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !figure) return;
      event.stopPropagation();
      event.preventDefault();
      hide();
    };
    const scroll = () => figure && hide();
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
      ref={layer}
      aria-hidden="true"
      className={css.tip}
      data-above={shown.above}
      // As far to the left of its place as the place is from the left edge: it never leaves the window.
      style={{ left: shown.x, top: shown.y, "--left": `${(-100 * shown.x) / window.innerWidth}%` } as CSSProperties}
    >
      {shown.text}
    </span>
  );
}
