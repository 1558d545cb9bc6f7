import { ImageUp, Trash2 } from "lucide-react";
import { type ChangeEvent, type DragEvent, useRef, useState } from "react";
import { type CropType, TARGET_SIZES } from "../../lib/crop";
import { Button } from "../../ui/button";
import { Image } from "../../ui/image";
import css from "./image-upload.module.css";
import { IMAGE_TYPES, MB } from "./picture-file";

const PREVIEW_SIZES = { profile: { width: 96, height: 96 }, banner: { width: 320, height: 80 } };

interface DropAreaProps {
  label: string;
  type: CropType;
  maxBytes: number;
  value: string | null;
  fallback: string;
  disabled: boolean;
  onSelect: (file: File | undefined, dropped: boolean) => void;
  onRemove: () => void;
}

/** The current picture, and an area for another one: by a button or by dropping a file. */
export function DropArea({ label, type, maxBytes, value, fallback, disabled, onSelect, onRemove }: DropAreaProps) {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { width, height } = TARGET_SIZES[type];
  const over = (event: DragEvent) => {
    event.preventDefault();
    setDraggedOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDraggedOver(false);
    if (!disabled) onSelect(event.dataTransfer.files[0], true);
  };
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    // Allows selecting the same file again.
    target.value = "";
    onSelect(file, false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the button is for everybody
    <div
      className={css.drop}
      data-type={type}
      data-over={isDraggedOver || undefined}
      onDragOver={over}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={drop}
    >
      <Image src={value} fallback={fallback} alt="" {...PREVIEW_SIZES[type]} className={css.preview} eager />
      <div className={css.choose}>
        <div className={css.buttons}>
          <Button size="small" disabled={disabled} onClick={() => input.current?.click()}>
            <ImageUp size={16} aria-hidden="true" /> Choose file
          </Button>
          {value && (
            <Button size="small" variant="danger" disabled={disabled} onClick={onRemove}>
              <Trash2 size={16} aria-hidden="true" /> Remove
            </Button>
          )}
        </div>
        <p className="quiet">
          Or drop a file here. PNG, JPG or WebP, up to {maxBytes / MB} MB, displayed at {width} × {height}.
        </p>
      </div>
      <input ref={input} type="file" hidden aria-label={label} accept={IMAGE_TYPES.join(",")} onChange={choose} />
    </div>
  );
}
