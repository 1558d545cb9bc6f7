import { Dialog } from "../ui/dialog";
import css from "./keys-dialog.module.css";

const KEYS = [
  ["/", "Go to the search"],
  ["Esc", "Close what is open"],
  ["?", "Show this list"],
  ["↑ ↓", "Move among suggestions and menu entries"],
  ["← →", "Move among tabs"],
] as const;

/** The keys of the site; loaded when somebody asks for them. */
export default function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className={css.keys}>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
