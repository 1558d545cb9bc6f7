import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { serverSentence } from "../../api/errors";
import { saveStickers } from "../../api/settings";
import type { StickerView } from "../../api/types";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { SlotButtons } from "./slot-buttons";
import { choicesOf, type StickerChoice, StickerChoices } from "./sticker-choices";
import css from "./sticker-editor.module.css";
import { stickerIds } from "./sticker-slots";
import { useStickerSlots } from "./use-sticker-slots";

interface StickerEditorProps {
  handle: string;
  equipped: readonly (number | string)[];
  stickers: readonly StickerView[];
  onSaved: () => void;
  onClose: () => void;
}

/** Edits the stickers of a profile by drag and drop, click or keyboard. */
export function StickerEditor({ handle, equipped, stickers, onSaved, onClose }: StickerEditorProps) {
  const choices = choicesOf(stickers);
  const { slots, announcement, nameOf, add, place, swap, remove } = useStickerSlots(equipped, choices);
  const saving = useMutation({
    mutationFn: () => saveStickers(handle, stickerIds(slots)),
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  return (
    <Dialog
      title="Stickers"
      onClose={onClose}
      wide
      actions={
        <>
          {saving.isError && (
            <p role="alert" className={css.problem}>
              {saveErrorText(saving.error)}
            </p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={saving.isPending} onClick={() => saving.mutate()}>
            {saving.isPending ? "Saving..." : "Save Changes"}
          </Button>
        </>
      }
    >
      <SlotButtons slots={slots} nameOf={nameOf} onPlace={place} onSwap={swap} onRemove={remove} />
      <p className={css.hint}>
        Drag a sticker onto a slot, or select it. Select a filled slot to empty it; the arrow keys move its sticker.
      </p>
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
      <ChoiceTabs choices={choices.filter((one) => !slots.includes(one.id))} onAdd={add} />
    </Dialog>
  );
}

function saveErrorText(error: unknown): string {
  const sentence = serverSentence(error);
  return sentence ? `Failed to save stickers: ${sentence}` : "Error saving stickers. Please try again.";
}

type TabName = "Unlocked" | "In-game";
const TABS: readonly TabName[] = ["Unlocked", "In-game"];

interface ChoiceTabsProps {
  choices: readonly StickerChoice[];
  onAdd: (choice: StickerChoice) => void;
}

/** The stickers that are in no slot, by origin. */
function ChoiceTabs({ choices, onAdd }: ChoiceTabsProps) {
  const [tab, setTab] = useState<TabName>("Unlocked");
  const inGame = choices.filter((one) => one.inGame);
  const unlocked = choices.filter((one) => !one.inGame && one.unlocked);
  const locked = choices.filter((one) => !one.inGame && !one.unlocked);
  return (
    <>
      <TabList active={tab} onSelect={setTab} />
      {/* Both panels remain rendered, so that the dialog's height does not change. */}
      <div className={css.panels}>
        <Panel name="Unlocked" active={tab}>
          {unlocked.length === 0 && <p className="quiet">No more stickers to add.</p>}
          <StickerChoices list={unlocked} onAdd={onAdd} />
          {locked.length > 0 && (
            <>
              <h3 className="label">Locked</h3>
              <StickerChoices list={locked} onAdd={onAdd} />
            </>
          )}
        </Panel>
        <Panel name="In-game" active={tab}>
          {inGame.length === 0 && <p className="quiet">No more stickers to add.</p>}
          <StickerChoices list={inGame} onAdd={onAdd} />
        </Panel>
      </div>
    </>
  );
}

function TabList({ active, onSelect }: { active: TabName; onSelect: (name: TabName) => void }) {
  const selectOther = ({ key }: KeyboardEvent, name: TabName) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const other = name === "Unlocked" ? "In-game" : "Unlocked";
    onSelect(other);
    document.getElementById(`stickers-${other}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Stickers" className={css.tabs}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`stickers-${name}`}
          aria-selected={active === name}
          aria-controls={`stickers-${name}-panel`}
          tabIndex={active === name ? 0 : -1}
          onClick={() => onSelect(name)}
          onKeyDown={(event) => selectOther(event, name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function Panel({ name, active, children }: { name: TabName; active: TabName; children: ReactNode }) {
  return (
    <div
      role="tabpanel"
      id={`stickers-${name}-panel`}
      aria-labelledby={`stickers-${name}`}
      inert={name !== active}
      className={css.panel}
    >
      {children}
    </div>
  );
}
