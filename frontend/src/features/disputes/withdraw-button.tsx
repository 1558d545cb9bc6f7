import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { invalidateDisputes, withdrawDispute } from "../../api/disputes";
import { failureSentence } from "../../api/errors";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { toast } from "../../ui/toast";

/** Takes the user's dispute of an event back, after a confirmation. */
export function WithdrawButton({ event }: { event: string }) {
  const cache = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const withdraw = useMutation({
    mutationFn: () => withdrawDispute(event),
    onSuccess: ({ message }) => void toast({ tone: "success", title: "Dispute taken back.", text: message }),
    onSettled: () => {
      setConfirming(false);
      void invalidateDisputes(cache, event);
    },
  });
  return (
    <>
      <Button size="small" onClick={() => setConfirming(true)}>
        Take back
      </Button>
      {withdraw.isError && <Alert tone="error">{failureSentence(withdraw.error)}</Alert>}
      {isConfirming && (
        <ConfirmDialog
          title="Take your dispute back?"
          action="Take back"
          isPending={withdraw.isPending}
          onConfirm={() => withdraw.mutate()}
          onCancel={() => setConfirming(false)}
        >
          You cannot dispute this event again.
        </ConfirmDialog>
      )}
    </>
  );
}
