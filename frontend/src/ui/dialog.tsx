import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button";
import css from "./dialog.module.css";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the foot. */
  actions?: ReactNode;
  wide?: boolean;
}

/** A modal window over the browser's own dialog: it holds the focus, closes by Esc and veil, gives the focus back, and
 * the page behind does not scroll (`base.css`). Drawn while it is open; `onClose` takes it away. */
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
