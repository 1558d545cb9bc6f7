import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { failureSentence } from "../../api/errors";
import { type HistoryEntry, invalidateModeration, undoEntry } from "../../api/moderation";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import { EntrySentence } from "./entry-sentence";
import { ReasonField } from "./fields";
import css from "./moderation.module.css";

/** Asks for the reason of an undo, then starts it. */
export function UndoDialog({ entry, onClose }: { entry: HistoryEntry; onClose: () => void }) {
  const cache = useQueryClient();
  const [reason, setReason] = useState("");
  const undo = useMutation({
    mutationFn: () => undoEntry(entry.id, reason.trim()),
    onSuccess: () => {
      toast({ tone: "success", title: `Undo of entry ${entry.id} added to the history.` });
      onClose();
    },
    onSettled: () => void invalidateModeration(cache),
  });
  return (
    <Dialog
      title={`Undo entry ${entry.id}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" disabled={undo.isPending || reason.trim() === ""} onClick={() => undo.mutate()}>
            Undo
          </Button>
        </>
      }
    >
      <div className={css.dialog}>
        <p>
          <EntrySentence entry={entry} />. These events return to their earlier state.
        </p>
        <ReasonField value={reason} onChange={setReason} />
        {undo.isError && <Alert tone="error">{failureSentence(undo.error)}</Alert>}
      </div>
    </Dialog>
  );
}
