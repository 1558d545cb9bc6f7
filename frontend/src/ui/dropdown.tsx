import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import css from "./dropdown.module.css";

/** Leaving with the pointer closes after this long, so that a slip does not. */
const CLOSE_DELAY_MS = 150;

interface DropdownProps {
  label: ReactNode;
  /** Said instead of `label` when that is no text. */
  name?: string;
  /** Whether the place we are at is one of those inside. */
  active?: boolean;
  align?: "start" | "end";
  /** Links and buttons; a click on one closes. */
  children: ReactNode;
  className?: string;
}

/** A button that discloses a short list of links. Opens by click and by arrow down, closes by Esc, blur and choice. */
export function Dropdown({ label, name, active = false, align = "start", children, className }: DropdownProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);

  const items = () => [
    ...(root.current?.querySelectorAll<HTMLElement>("[data-panel] a, [data-panel] button:not(:disabled)") ?? []),
  ];
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      setOpen(false);
      root.current?.querySelector("button")?.focus();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    // Drawn open at once: what is hidden takes no focus.
    flushSync(() => setOpen(true));
    const list = items();
    const at = list.indexOf(document.activeElement as HTMLElement);
    const to = at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length;
    list[to]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears the keys and the focus of what is inside
    <div
      ref={root}
      className={clsx(css.dropdown, className)}
      onKeyDown={keys}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget))
          timer.current = setTimeout(() => setOpen(false), CLOSE_DELAY_MS);
      }}
      onFocus={() => clearTimeout(timer.current)}
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        aria-label={name}
        data-active={active}
        onClick={() => setOpen(!open)}
      >
        {label}
        <ChevronDown size={14} aria-hidden="true" />
      </button>
      {/* Kept in the page so that the arrows find the items before the next drawing. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a choice inside, by hand or key, is a click */}
      <div id={id} data-panel data-align={align} data-open={open} className={css.panel} onClick={() => setOpen(false)}>
        {children}
      </div>
    </div>
  );
}
