import { useEffect, useRef } from "react";
import { Link } from "react-router";
import css from "./tabs.module.css";

export interface Tab<T extends string> {
  slug: T;
  label: string;
  to: string;
}

/** The tabs of a profile. Each has its own URL, so they are navigation links and not an ARIA tab list. */
export function Tabs<T extends string>({ label, tabs, active }: { label: string; tabs: readonly Tab<T>[]; active: T }) {
  const list = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect scrolls to the active tab
  useEffect(() => {
    const row = list.current;
    const chosen = row?.querySelector<HTMLElement>("[aria-current]");
    // Scrolls only the row, not the page.
    if (row && chosen) row.scrollLeft = chosen.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2;
  }, [active]);
  return (
    <nav ref={list} aria-label={label} className={css.tabs}>
      {tabs.map((tab) => (
        <Link
          key={tab.slug}
          to={tab.to}
          aria-current={tab.slug === active ? "page" : undefined}
          preventScrollReset
          state={{ keepScroll: true }}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
