import { useInfiniteQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { failureSentence } from "../../api/errors";
import { type AdminEventFilter, adminEventsQuery } from "../../api/moderation";
import type { AdminEvent, EventState, ModerationTarget } from "../../api/types";
import { exact } from "../../lib/numbers";
import { moment } from "../../lib/times";
import { uniqBy } from "../../lib/uniq-by";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { Select } from "../../ui/select";
import { ShowMore } from "../../ui/show-more";
import { EmptyState, ErrorState, Spinner } from "../../ui/states";
import { TargetField } from "./fields";
import fieldsCss from "./fields.module.css";
import css from "./moderation.module.css";
import { RecordTable } from "./record-table";
import { parseSelection, TARGETS } from "./selection";

const HEADINGS = ["Id", "Time", "Event", "State", "Grade", "Key", "Reports"];
const FIGURES = ["Reports"];
const STATES: Record<EventState, string> = { stands: "Stands", held: "Held", void: "Void" };
const STATE_OPTIONS = [
  { value: "any", label: "Any" },
  ...(Object.keys(STATES) as EventState[]).map((value) => ({ value, label: STATES[value] })),
] as const;

/** The API lists events by these targets only. */
type LookupTarget = "all" | Exclude<ModerationTarget, "events">;
const LOOKUP_TARGETS: readonly LookupTarget[] = ["all", "key", "account", "player"];
const TARGET_OPTIONS = LOOKUP_TARGETS.map((value) => ({
  value,
  label: value === "all" ? "All" : TARGETS[value].label,
}));

interface LookupInput {
  target: LookupTarget;
  value: string;
  state: EventState | "any";
}

/** Lists events by key, account, player and state. */
export function EventLookup() {
  const [filter, setFilter] = useState<AdminEventFilter | null>(null);
  return (
    <section aria-labelledby="moderation-events" className={css.part}>
      <h3 id="moderation-events">Events</h3>
      <LookupForm onSubmit={setFilter} />
      {filter && <Events filter={filter} />}
    </section>
  );
}

function LookupForm({ onSubmit }: { onSubmit: (filter: AdminEventFilter) => void }) {
  const [input, setInput] = useState<LookupInput>({ target: "all", value: "", state: "any" });
  const [problem, setProblem] = useState<string | null>(null);
  const change = (part: Partial<LookupInput>) => {
    setInput({ ...input, ...part });
    setProblem(null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { target, value, state } = input;
    const parsed = target === "all" ? { value: {} } : parseSelection({ target, value, from: "", until: "" });
    if ("problem" in parsed) setProblem(parsed.problem);
    else onSubmit({ ...parsed.value, ...(state !== "any" && { state }) });
  };
  return (
    <>
      <form className={fieldsCss.fields} onSubmit={submit}>
        <Select
          label="Events by"
          value={input.target}
          options={TARGET_OPTIONS}
          onChange={(target) => change({ target, value: "" })}
        />
        {input.target !== "all" && (
          <TargetField target={input.target} value={input.value} onChange={(value) => change({ value })} />
        )}
        <Select label="State" value={input.state} options={STATE_OPTIONS} onChange={(state) => change({ state })} />
        <Button type="submit" disabled={input.target !== "all" && input.value.trim() === ""}>
          Show events
        </Button>
      </form>
      {problem && <Alert tone="error">{problem}</Alert>}
    </>
  );
}

function Events({ filter }: { filter: AdminEventFilter }) {
  const list = useInfiniteQuery(adminEventsQuery(filter));
  const events = uniqBy(list.data?.pages.flatMap((page) => page.data) ?? [], (event) => String(event.id));
  if (list.isPending) return <Spinner label="Loading events…" />;
  if (!list.data) {
    return (
      <ErrorState
        title="The events could not be loaded."
        text={failureSentence(list.error)}
        onRetry={() => void list.refetch()}
      />
    );
  }
  if (events.length === 0) return <EmptyState title="No events match." />;
  return (
    <>
      <RecordTable
        caption="Events"
        headings={HEADINGS}
        figures={FIGURES}
        rows={events.map((event) => ({ id: String(event.id), cells: cellsOf(event) }))}
        folds
      />
      <ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />
    </>
  );
}

function cellsOf(event: AdminEvent) {
  const { key, received_at: received } = event;
  return [
    event.id,
    <time
      key="time"
      dateTime={new Date(event.event_time * 1000).toISOString()}
      className={css.time}
      title={received === null ? undefined : `Received ${moment(received)}`}
    >
      {moment(event.event_time)}
    </time>,
    <span key="event">
      <bdi>{summary(event)}</bdi> <span className="quiet">{event.identifier}</span>
    </span>,
    STATES[event.state] ?? event.state,
    event.grade,
    key ? <bdi key="key">{`${key.name} (${key.id})`}</bdi> : "None",
    exact(event.reports),
  ];
}

/** Names the participants: `Ann → Bob`, or the player. */
function summary({ killer, victim, player }: AdminEvent): string {
  if (killer || victim) return `${killer ?? "Unknown"} → ${victim ?? "Unknown"}`;
  return player ?? "Unknown";
}
