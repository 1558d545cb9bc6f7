import { useState } from "react";
import { Dialog } from "../ui/dialog";
import { areShortcutsEnabled, setShortcutsEnabled } from "./shortcuts";
import css from "./shortcuts-dialog.module.css";

const SHORTCUTS = [
  ["/", "Go to the search"],
  ["?", "Show this list"],
  ["Esc", "Close what is open"],
  ["↑ ↓", "Move among suggestions and menu entries"],
  ["← →", "Move among the days of a plot and the slots of stickers"],
] as const;

/** Lists the keyboard shortcuts and has the switch for single-key shortcuts. Loaded on demand. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areShortcutsEnabled);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className={css.keys}>
        {SHORTCUTS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div className={css.switch}>
        <label>
          <input
            type="checkbox"
            aria-describedby="shortcuts-note"
            checked={isOn}
            onChange={({ target }) => {
              setOn(target.checked);
              setShortcutsEnabled(target.checked);
            }}
          />
          Single-key shortcuts
        </label>
        <p id="shortcuts-note" className="quiet">
          The keys / and ? act on every page. This browser stores the choice.
        </p>
      </div>
    </Dialog>
  );
}
