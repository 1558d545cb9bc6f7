import type { QueryClient } from "@tanstack/react-query";
import { ledgerQuery } from "../api/moderation";
import { LedgerList } from "../features/moderation/ledger-list";
import { BackButton } from "../ui/back-button";
import { useTitle } from "../ui/use-title";
import css from "./info-page.module.css";

export function prefetch(cache: QueryClient) {
  void cache.prefetchInfiniteQuery(ledgerQuery());
}

export default function LedgerPage() {
  useTitle("Moderation ledger");
  return (
    <div className="page">
      <BackButton />
      <h1 className={css.title}>Moderation ledger</h1>
      <p className={`quiet ${css.intro}`}>
        This page lists every action of an admin on events, with its reason. Void and held events do not count in any
        score, and every action can be undone.
      </p>
      <LedgerList />
    </div>
  );
}
