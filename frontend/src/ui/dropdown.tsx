import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import css from "./dropdown.module.css";
import { useDocumentEvents } from "./use-document-events";

/** Delay before losing the focus closes the panel. */
const CLOSE_DELAY_MS = 150;

interface DropdownProps {
  label: ReactNode;
  /** The accessible name if `label` is not text. */
  name?: string;
  /** The current page is one of the items. */
  active?: boolean;
  align?: "start" | "end";
  /** Links and buttons. A click on one closes the panel. */
  children: ReactNode;
  className?: string;
}

/** A button that opens a list of links. Opens by click and arrow keys; closes by Esc, blur and selection. */
export function Dropdown({ label, name, active = false, align = "start", children, className }: DropdownProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const closeOutside = ({ target }: Event) => {
    if (!root.current?.contains(target as Node)) setOpen(false);
  };
  useDocumentEvents({ pointerdown: closeOutside }, open);
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
    // Rendered synchronously: hidden elements cannot be focused.
    flushSync(() => setOpen(true));
    if (root.current) focusItem(root.current, step);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles key and focus events of its children
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
      {/* Always rendered, so that the arrow keys find the items. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: selecting an item, by pointer or key, is a click */}
      <div id={id} data-panel data-align={align} data-open={open} className={css.panel} onClick={() => setOpen(false)}>
        {children}
      </div>
    </div>
  );
}

/** Focuses the next or previous item. From outside of the list, this is the first or the last one. */
function focusItem(dropdown: HTMLElement, step: number): void {
  const items = [...dropdown.querySelectorAll<HTMLElement>("[data-panel] a, [data-panel] button:not(:disabled)")];
  const index = items.indexOf(document.activeElement as HTMLElement);
  const to = index < 0 ? (step > 0 ? 0 : items.length - 1) : (index + step + items.length) % items.length;
  items[to]?.focus();
}
