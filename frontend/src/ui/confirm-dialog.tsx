import type { ReactNode } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";

interface ConfirmDialogProps {
  title: string;
  /** The label of the confirming button. */
  action: string;
  /** `primary` for actions that remove nothing. */
  variant?: "danger" | "primary";
  isPending?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/** Asks for a confirmation. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, variant = "danger", isPending = false, onConfirm, onCancel, children } = props;
  return (
    <Dialog
      title={title}
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant={variant} disabled={isPending} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
