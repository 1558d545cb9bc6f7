import { useState } from "react";
import { Dialog } from "../ui/dialog";
import { areShortcutsEnabled, setShortcutsEnabled } from "./shortcuts";
import css from "./shortcuts-dialog.module.css";

const SHORTCUTS = [
  ["/", "Focus the search"],
  ["?", "Show this list"],
  ["Esc", "Close the open dialog or menu"],
  ["↑ ↓", "Select a suggestion or menu item"],
  ["← →", "Select a day of a plot, or move a sticker"],
] as const;

/** Lists the keyboard shortcuts and has the switch for single-key shortcuts. Loaded on demand. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areShortcutsEnabled);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
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
          Applies to / and ? in this browser.
        </p>
      </div>
    </Dialog>
  );
}
