import type { DragEvent, KeyboardEvent } from "react";
import { stickerImage } from "../../lib/images";
import { DRAG_DATA_TYPE } from "./sticker-choices";
import css from "./sticker-editor.module.css";
import type { Slots } from "./sticker-slots";

interface SlotButtonsProps {
  slots: Slots;
  nameOf: (id: string) => string;
  onPlace: (id: string, slot: number) => void;
  onSwap: (from: number, to: number) => void;
  onRemove: (slot: number) => void;
}

/** The slots of a profile: drop targets, emptied by a click, reordered by the arrow keys. */
export function SlotButtons({ slots, nameOf, onPlace, onSwap, onRemove }: SlotButtonsProps) {
  const drop = (event: DragEvent, slot: number) => {
    event.preventDefault();
    onPlace(event.dataTransfer.getData(DRAG_DATA_TYPE), slot);
  };
  const move = (event: KeyboardEvent<HTMLButtonElement>, slot: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = slot + (step ?? 0);
    if (!step || to < 0 || to >= slots.length) return;
    event.preventDefault();
    onSwap(slot, to);
    const list = event.currentTarget.parentElement;
    (list?.children[to] as HTMLElement | undefined)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the four slots are a group, but not a form field
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
          onClick={() => onRemove(index)}
          onKeyDown={(event) => move(event, index)}
          onDragStart={(event) => id && event.dataTransfer.setData(DRAG_DATA_TYPE, id)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => drop(event, index)}
        >
          {id ? <img src={stickerImage(id)} alt="" width={56} height={56} draggable={false} /> : index + 1}
        </button>
      ))}
    </div>
  );
}
