import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { disputeEvent, invalidateDisputes } from "../../api/disputes";
import { failureSentence } from "../../api/errors";
import { counted } from "../../lib/numbers";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import css from "./disputes.module.css";

/** Maximum length of a reason, as on the server. */
const MAX_REASON_LENGTH = 500;

interface DisputeFormProps {
  event: string;
  /** How many events the user can still dispute today. */
  left: number;
  onClose: () => void;
}

/** Asks why the event is wrong, then disputes it. */
export function DisputeForm({ event, left, onClose }: DisputeFormProps) {
  const cache = useQueryClient();
  const [reason, setReason] = useState("");
  const id = useId();
  const dispute = useMutation({
    mutationFn: () => disputeEvent(event, reason.trim().replaceAll(/\s+/g, " ")),
    onSuccess: ({ message }) => {
      toast({ tone: "success", title: "Dispute sent.", text: message });
      onClose();
    },
    onSettled: () => void invalidateDisputes(cache, event),
  });
  return (
    <Dialog
      title="Dispute this event?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="danger"
            disabled={dispute.isPending || reason.trim() === ""}
            onClick={() => dispute.mutate()}
          >
            Dispute
          </Button>
        </>
      }
    >
      <div className={css.form}>
        <p>
          If only your opponent's side reports the event, it stops counting until an admin decides. An event can be
          disputed once. You can dispute {counted(left, "more event")} today.
        </p>
        <span className={css.field}>
          <label htmlFor={id} className="label">
            Reason (for admins)
          </label>
          <textarea
            id={id}
            rows={3}
            value={reason}
            maxLength={MAX_REASON_LENGTH}
            onChange={(change) => setReason(change.target.value)}
          />
        </span>
        {dispute.isError && <Alert tone="error">{failureSentence(dispute.error)}</Alert>}
      </div>
    </Dialog>
  );
}
