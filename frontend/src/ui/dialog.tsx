import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button";
import css from "./dialog.module.css";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons in the footer. */
  actions?: ReactNode;
  wide?: boolean;
}

/**
 * A modal dialog based on `<dialog>`: it traps and restores the focus and closes by Esc and by a click on the backdrop. The
 * page behind does not scroll (`base.css`). Render it while it is open.
 */
export function Dialog({ title, onClose, children, actions, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      className={css.dialog}
      data-wide={wide}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
      onPointerDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className={css.frame}>
        <header>
          <h2 id={titleId}>{title}</h2>
          <Button variant="icon" aria-label="Close" onClick={onClose}>
            <X size={20} aria-hidden="true" />
          </Button>
        </header>
        <div className={css.body}>{children}</div>
        {actions && <footer>{actions}</footer>}
      </div>
    </dialog>
  );
}
