import { Lock } from "lucide-react";
import type { StickerView } from "../../api/types";
import { stickerImage } from "../../lib/images";
import { Name } from "../../ui/name";
import css from "./sticker-editor.module.css";

/** The data type of a dragged sticker id. */
export const DRAG_DATA_TYPE = "text/plain";

export interface StickerChoice {
  id: string;
  name: string;
  rarity: StickerView["rarity"];
  text: string;
  inGame: boolean;
  unlocked: boolean;
}

export function choicesOf(stickers: readonly StickerView[]): StickerChoice[] {
  return stickers.map((one) => ({
    id: String(one.id),
    name: one.name,
    rarity: one.rarity,
    text: one.unlocked ? one.description : one.requirement,
    inGame: one.category === "in-game",
    unlocked: one.unlocked,
  }));
}

interface StickerChoicesProps {
  list: readonly StickerChoice[];
  onAdd: (choice: StickerChoice) => void;
}

/** Stickers that can be dragged or added by a click. Locked ones are disabled. */
export function StickerChoices({ list, onAdd }: StickerChoicesProps) {
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
                <Name>{choice.name}</Name>
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
