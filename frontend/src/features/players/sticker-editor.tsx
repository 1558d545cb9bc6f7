import { useMutation } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { type DragEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import { serverSentence } from "../../api/errors";
import { saveStickers } from "../../api/settings";
import type { StickerView } from "../../api/types";
import { stickerImage } from "../../lib/images";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import css from "./sticker-editor.module.css";
import { addSticker, placeSticker, removeSticker, type Slots, slotsOf, stickerIds, swapSlots } from "./sticker-slots";
import { STICKER_SLOTS, useStickers } from "./stickers";

type TabName = "Unlocked" | "In-game";
const TABS: readonly TabName[] = ["Unlocked", "In-game"];
const DRAG_DATA_TYPE = "text/plain";

interface StickerEditorProps {
  handle: string;
  equipped: readonly (number | string)[];
  stickers: readonly StickerView[];
  onSaved: () => void;
  onClose: () => void;
}

interface StickerChoice {
  id: string;
  name: string;
  rarity: StickerView["rarity"];
  text: string;
  inGame: boolean;
  unlocked: boolean;
}

/** Edits the stickers of a profile by drag and drop, click or keyboard. */
export function StickerEditor({ handle, equipped, stickers, onSaved, onClose }: StickerEditorProps) {
  const [slots, setSlots] = useState<Slots>(() => slotsOf(equipped));
  const [tab, setTab] = useState<TabName>("Unlocked");
  const [announcement, announce] = useState("");
  const saving = useMutation({
    mutationFn: (ids: string[]) => saveStickers(handle, ids),
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const { info } = useStickers();
  const choices = choicesOf(stickers);
  const nameOf = (id: string) => choices.find((one) => one.id === id)?.name ?? info(id).name;
  const free = choices.filter((one) => !slots.includes(one.id));
  const inGame = free.filter((one) => one.inGame);
  const unlocked = free.filter((one) => !one.inGame && one.unlocked);
  const locked = free.filter((one) => !one.inGame && !one.unlocked);

  const add = (choice: StickerChoice) => {
    if (!choice.unlocked) return;
    if (!slots.includes(null)) return announce(`All ${STICKER_SLOTS} slots are taken. Remove a sticker first.`);
    setSlots(addSticker(slots, choice.id));
    announce(`${choice.name} added`);
  };
  const dropOn = (event: DragEvent, slot: number) => {
    event.preventDefault();
    const id = event.dataTransfer.getData(DRAG_DATA_TYPE);
    const choice = choices.find((one) => one.id === id);
    if (!slots.includes(id) && !choice?.unlocked) return;
    setSlots(placeSticker(slots, id, slot));
    announce(`${nameOf(id)} in slot ${slot + 1}`);
  };
  const slotKeys = (event: KeyboardEvent<HTMLButtonElement>, slot: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = slot + (step ?? 0);
    if (!step || to < 0 || to >= slots.length) return;
    event.preventDefault();
    setSlots(swapSlots(slots, slot, to));
    announce(`Moved to slot ${to + 1}`);
    const list = event.currentTarget.parentElement;
    (list?.children[to] as HTMLElement | undefined)?.focus();
  };
  return (
    <Dialog
      title="Stickers"
      onClose={onClose}
      wide
      actions={
        <>
          {saving.isError && (
            <p role="alert" className={css.problem}>
              {failure(saving.error)}
            </p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={saving.isPending} onClick={() => saving.mutate(stickerIds(slots))}>
            {saving.isPending ? "Saving..." : "Save Changes"}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: the four slots are a group, but not a form field */}
      <div className={css.slots} role="group" aria-label="Slots on your profile">
        {slots.map((id, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: slots are identified by their position
            key={index}
            type="button"
            className={css.slot}
            data-filled={id !== null || undefined}
            draggable={id !== null}
            aria-label={
              id ? `Slot ${index + 1}: ${nameOf(id)}. Press to remove, arrows to move` : `Slot ${index + 1}: empty`
            }
            onClick={() => {
              if (!id) return;
              setSlots(removeSticker(slots, index));
              announce(`${nameOf(id)} removed`);
            }}
            onKeyDown={(event) => slotKeys(event, index)}
            onDragStart={(event) => id && event.dataTransfer.setData(DRAG_DATA_TYPE, id)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => dropOn(event, index)}
          >
            {id ? <img src={stickerImage(id)} alt="" width={56} height={56} draggable={false} /> : index + 1}
          </button>
        ))}
      </div>
      <p className={css.hint}>
        Drag a sticker onto a slot, or select it. Select a filled slot to empty it; the arrow keys move its sticker.
      </p>
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
      <div role="tablist" aria-label="Stickers" className={css.tabs}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`stickers-${name}`}
            aria-selected={tab === name}
            aria-controls={`stickers-${name}-panel`}
            tabIndex={tab === name ? 0 : -1}
            onClick={() => setTab(name)}
            onKeyDown={(event) => {
              if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
              const other = name === "Unlocked" ? "In-game" : "Unlocked";
              setTab(other);
              document.getElementById(`stickers-${other}`)?.focus();
            }}
          >
            {name}
          </button>
        ))}
      </div>
      {/* Both panels remain rendered, so that the dialog's height does not change. */}
      <div className={css.panels}>
        <Panel name="Unlocked" active={tab}>
          {unlocked.length === 0 && <p className="quiet">No more stickers to add.</p>}
          <StickerChoices list={unlocked} onAdd={add} />
          {locked.length > 0 && (
            <>
              <h3 className="label">Locked</h3>
              <StickerChoices list={locked} onAdd={add} />
            </>
          )}
        </Panel>
        <Panel name="In-game" active={tab}>
          {inGame.length === 0 && <p className="quiet">No more stickers to add.</p>}
          <StickerChoices list={inGame} onAdd={add} />
        </Panel>
      </div>
    </Dialog>
  );
}

function failure(error: unknown): string {
  const sentence = serverSentence(error);
  return sentence ? `Failed to save stickers: ${sentence}` : "Error saving stickers. Please try again.";
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

function StickerChoices({ list, onAdd }: { list: readonly StickerChoice[]; onAdd: (choice: StickerChoice) => void }) {
  return (
    <ul role="list" className={css.list}>
      {list.map((choice) => (
        <li key={choice.id}>
          <button
            type="button"
            className={css.choice}
            aria-disabled={!choice.unlocked}
            draggable={choice.unlocked}
            onDragStart={(event) => event.dataTransfer.setData(DRAG_DATA_TYPE, choice.id)}
            onClick={() => onAdd(choice)}
          >
            <img src={stickerImage(choice.id)} alt="" width={48} height={48} loading="lazy" draggable={false} />
            <span>
              <strong>
                {choice.name}
                {!choice.unlocked && <Lock size={14} aria-label="Locked" />}
              </strong>
              <span style={{ color: `var(--rarity-${choice.rarity})` }}>{choice.rarity}</span>
              {choice.text && <span className="quiet">{choice.text}</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function choicesOf(stickers: readonly StickerView[]): StickerChoice[] {
  return stickers.map((one) => ({
    id: String(one.id),
    name: one.name,
    rarity: one.rarity,
    text: one.unlocked ? one.description : one.requirement,
    inGame: one.category === "in-game",
    unlocked: one.unlocked,
  }));
}
