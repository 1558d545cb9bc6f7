// Disputes of players for admins, with actions that uphold or dismiss them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { adminDisputesQuery, decideDispute } from "../../api/disputes";
import { failureSentence } from "../../api/errors";
import { invalidateModeration } from "../../api/moderation";
import type { AdminDispute, DisputeDecision, DisputeState } from "../../api/types";
import { exact } from "../../lib/numbers";
import * as paths from "../../lib/paths";
import { moment } from "../../lib/times";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { EmptyState, ErrorState, Spinner } from "../../ui/states";
import { toast } from "../../ui/toast";
import { ReasonField } from "./fields";
import css from "./moderation.module.css";
import { RecordTable } from "./record-table";

const HEADINGS = ["Dispute", "Time", "Event", "Disputed by", "Reason", "Effect", "State", "Decision"];
const STATES: Record<DisputeState, string> = {
  open: "Open",
  upheld: "Upheld",
  dismissed: "Dismissed",
  event_void: "Event void",
  withdrawn: "Withdrawn",
};
const DECISIONS: Record<DisputeDecision, { label: string; effect: string }> = {
  uphold: { label: "Uphold", effect: "The event becomes void and never counts." },
  dismiss: { label: "Dismiss", effect: "The dispute ends, and the event counts unless another reason holds it." },
};

interface Deciding {
  dispute: AdminDispute;
  decision: DisputeDecision;
}

export function Disputes() {
  const list = useQuery(adminDisputesQuery());
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  return (
    <section aria-labelledby="moderation-disputes" className={css.part}>
      <h3 id="moderation-disputes">Disputes</h3>
      {list.isPending && <Spinner label="Loading disputes…" />}
      {list.isLoadingError && (
        <ErrorState
          title="The disputes could not be loaded."
          text={failureSentence(list.error)}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.data?.length === 0 && (
        <EmptyState title="No disputes.">Players dispute events that name them on the page of the event.</EmptyState>
      )}
      {list.data && list.data.length > 0 && (
        <RecordTable
          caption="Disputes"
          headings={HEADINGS}
          rows={list.data.map((dispute) => ({ id: String(dispute.id), cells: cellsOf(dispute, setDeciding) }))}
          folds
        />
      )}
      {deciding && <DecisionDialog {...deciding} onClose={() => setDeciding(null)} />}
    </section>
  );
}

function cellsOf(dispute: AdminDispute, onDecide: (deciding: Deciding) => void) {
  const { id, event, player, account, reason, stakes, state, is_suspended: isSuspended, entry } = dispute;
  return [
    id,
    moment(dispute.created_at),
    event ? (
      <Link key="event" to={paths.event(String(event.id))}>
        <bdi>{`${event.killer ?? event.player ?? "Unknown"} → ${event.victim ?? "Unknown"}`}</bdi>{" "}
        <span className="quiet">{event.grade}</span>
      </Link>
    ) : (
      "Removed"
    ),
    <span key="by">
      <bdi>{player ?? "Unknown"}</bdi>{" "}
      {account && <bdi className="quiet">{`${account.name} (${account.discord_id})`}</bdi>}
    </span>,
    <bdi key="reason" className={css.reason}>
      {reason}
    </bdi>,
    <span key="effect">
      {stakes.length === 0 && "None"}
      {stakes.map(({ handle, points }) => (
        <span key={handle}>
          <bdi>{handle}</bdi> {exact(points)}{" "}
        </span>
      ))}
    </span>,
    <span key="state">
      {STATES[state] ?? state}{" "}
      {state === "open" && <span className="quiet">{isSuspended ? "Does not count" : "Keeps counting"}</span>}
      {entry !== null && <span className="quiet">Entry {entry}</span>}
    </span>,
    state === "open" && (
      <span key="decision" className={css.actions}>
        {(Object.keys(DECISIONS) as DisputeDecision[]).map((decision) => (
          <Button
            key={decision}
            size="small"
            aria-label={`${DECISIONS[decision].label} dispute ${id}`}
            onClick={() => onDecide({ dispute, decision })}
          >
            {DECISIONS[decision].label}
          </Button>
        ))}
      </span>
    ),
  ];
}

/** Asks for the public reason of a decision, then runs it. */
function DecisionDialog({ dispute, decision, onClose }: Deciding & { onClose: () => void }) {
  const cache = useQueryClient();
  const [reason, setReason] = useState("");
  const { label, effect } = DECISIONS[decision];
  const decide = useMutation({
    mutationFn: () => decideDispute(dispute.id, decision, reason.trim()),
    onSuccess: (entry) => {
      toast({ tone: "success", title: `Entry ${entry.id} added to the ledger.` });
      onClose();
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: adminDisputesQuery().queryKey });
      void invalidateModeration(cache);
    },
  });
  return (
    <Dialog
      title={`${label} dispute ${dispute.id}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" disabled={decide.isPending || reason.trim() === ""} onClick={() => decide.mutate()}>
            {label}
          </Button>
        </>
      }
    >
      <div className={css.dialog}>
        <p>{effect} All open disputes of the event end.</p>
        <ReasonField value={reason} onChange={setReason} />
        {decide.isError && <Alert tone="error">{failureSentence(decide.error)}</Alert>}
      </div>
    </Dialog>
  );
}
