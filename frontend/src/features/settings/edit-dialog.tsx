import type { ReactNode } from "react";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import css from "./edit.module.css";
import type { SaveState } from "./use-save";

/** The props of a picture upload in an edit dialog. */
export interface PictureField {
  kind: "picture" | "banner";
  value: string | null;
  saved: string | null;
  disabled: boolean;
  onChange: (path: string | null) => void;
  onBusy: (busy: boolean) => void;
}

interface EditDialogProps {
  title: string;
  state: Pick<SaveState<unknown>, "isSaving" | "message">;
  isUploading: boolean;
  onSave: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that saves a form and shows the result. */
export function EditDialog({ title, state, isUploading, onSave, onClose, children }: EditDialogProps) {
  const { isSaving, message } = state;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide
      actions={
        <>
          {message && (
            <p role={message.tone === "error" ? "alert" : "status"} className={css.message} data-tone={message.tone}>
              {message.text}
            </p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={isSaving || isUploading} onClick={onSave}>
            {isSaving ? "Saving..." : "Save"}
          </Button>
        </>
      }
    >
      <div className={css.fields}>{children}</div>
    </Dialog>
  );
}
