import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Link } from "react-router";
import { failureSentence } from "../../api/errors";
import type { AdminReport, AdminReportPage } from "../../api/types";
import { counted } from "../../lib/numbers";
import { event } from "../../lib/paths";
import { moment } from "../../lib/times";
import { Name } from "../../ui/name";
import { ShowMore } from "../../ui/show-more";
import { EmptyState, ErrorState, Spinner } from "../../ui/states";
import css from "./moderation.module.css";

const STATES: Record<string, string> = {
  counted: "Counts",
  waiting: "Waits for its patch",
  other_channel: "Other channel",
  removed: "Removed",
  blocked: "Blocked",
};

/** The reports that an action would concern, and their number. */
export function Reports({ list }: { list: UseInfiniteQueryResult<InfiniteData<AdminReportPage>> }) {
  if (list.isPending) return <Spinner label="Loading the reports…" />;
  if (!list.data) {
    return (
      <ErrorState
        title="The reports could not be loaded."
        text={failureSentence(list.error)}
        onRetry={() => void list.refetch()}
      />
    );
  }
  const reports = list.data.pages.flatMap((page) => page.data);
  const total = list.data.pages[0]?.total ?? 0;
  if (total === 0) return <EmptyState title="No reports match." />;
  return (
    <div className={css.reports}>
      <p role="status">{counted(total, "report")}</p>
      <ol role="list" aria-label="Reports" className={css.list}>
        {reports.map((report, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event can have several reports, which keep their order
          <Report key={index} report={report} />
        ))}
      </ol>
      <ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />
    </div>
  );
}

function Report({ report }: { report: AdminReport }) {
  return (
    <li>
      <p>
        <Link to={event(String(report.event))}>{moment(report.event_time)}</Link> <Name>{participants(report)}</Name>
      </p>
      <p className="quiet">
        {[report.identifier, report.key !== null && `key ${report.key}`].filter(Boolean).join(" · ")}
      </p>
      <span className={css.state}>{STATES[report.state] ?? report.state}</span>
    </li>
  );
}

/** Names the participants: `Ann → Bob`, or the player. */
function participants({ killer, victim, player }: AdminReport): string {
  if (killer || victim) return `${killer ?? "Unknown"} → ${victim ?? "Unknown"}`;
  return player ?? "Unknown";
}
