import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import css from "./tabs.module.css";

export interface Tab<T extends string> {
  slug: T;
  label: string;
  to: string;
}

/** Tabs that are addresses. One is in the tab order; the arrows, Home and End move among them. */
export function Tabs<T extends string>({
  label,
  tabs,
  active,
  panelId,
}: {
  label: string;
  tabs: readonly Tab<T>[];
  active: T;
  panelId: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab has another place
  useEffect(() => {
    const row = list.current;
    const chosen = row?.querySelector<HTMLElement>("[aria-selected=true]");
    // The row alone is moved; the page stays where it is.
    if (row && chosen) row.scrollLeft = chosen.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2;
  }, [active]);
  const move = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("[role=tab]") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined || links.length === 0) return;
    event.preventDefault();
    links[(to + links.length) % links.length]?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label={label} className={css.tabs} onKeyDown={move}>
      {tabs.map((tab) => (
        <Link
          key={tab.slug}
          to={tab.to}
          role="tab"
          id={`${panelId}-${tab.slug}`}
          aria-selected={tab.slug === active}
          aria-controls={panelId}
          tabIndex={tab.slug === active ? 0 : -1}
          preventScrollReset
          state={{ keepScroll: true }}
        >
          {tab.label}
        </Link>
      ))}
    </div>
  );
}

/** What the chosen tab shows. */
export function TabPanel({ id, active, children }: { id: string; active: string; children: ReactNode }) {
  return (
    <div role="tabpanel" id={id} aria-labelledby={`${id}-${active}`}>
      {children}
    </div>
  );
}
