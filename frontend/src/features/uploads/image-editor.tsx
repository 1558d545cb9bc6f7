import { useRef, useState } from "react";
import {
  type Crop,
  type CropType,
  drawnBox,
  fillingCrop,
  scaleRange,
  smallestCrop,
  TARGET_SIZES,
  zoomedCrop,
} from "../../lib/crop";
import { Button } from "../../ui/button";
import css from "./image-editor.module.css";
import type { Picture } from "./picture-file";
import { useCropGestures } from "./use-crop-gestures";

const PROFILE_MAX_WIDTH_PX = 320;
const SLIDER_STEP = 0.1;

interface ImageEditorProps {
  picture: Picture;
  type: CropType;
  busy: boolean;
  onDone: (crop: Crop) => void;
  onCancel: () => void;
}

/** Crops a picture: drag, wheel, pinch, slider or keyboard position it in the frame. */
export function ImageEditor({ picture, type, busy, onDone, onCancel }: ImageEditorProps) {
  const { size } = picture;
  const target = TARGET_SIZES[type];
  const [crop, setCrop] = useState<Crop>(() => fillingCrop(size, target));
  return (
    <div className={css.editor}>
      <CropFrame picture={picture} type={type} crop={crop} onChange={setCrop} />
      <ZoomSlider
        {...scaleRange(size, target)}
        scale={crop.scale}
        disabled={busy}
        onChange={(scale) => setCrop((was) => zoomedCrop(was, scale, size, target))}
      />
      <div className={css.actions}>
        <Button size="small" disabled={busy} onClick={() => setCrop(fillingCrop(size, target))}>
          Use Defaults
        </Button>
        <Button size="small" disabled={busy} onClick={() => setCrop(smallestCrop(size, target))}>
          Reset
        </Button>
        <span className={css.gap} />
        <Button size="small" disabled={busy} onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" variant="primary" disabled={busy} onClick={() => onDone(crop)}>
          Upload
        </Button>
      </div>
    </div>
  );
}

interface CropFrameProps {
  picture: Picture;
  type: CropType;
  crop: Crop;
  onChange: (change: (crop: Crop) => Crop) => void;
}

function CropFrame({ picture, type, crop, onChange }: CropFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { size } = picture;
  const target = TARGET_SIZES[type];
  const handlers = useCropGestures({ frame, size, target, onChange });
  const box = drawnBox(crop, size, target);
  const share = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a keyboard-operated frame is not a fieldset
    <div
      ref={frame}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard commands need a focusable element
      tabIndex={0}
      aria-label="Picture in its frame. Arrow keys move it, plus and minus zoom."
      className={css.frame}
      style={{
        aspectRatio: `${target.width} / ${target.height}`,
        maxWidth: type === "profile" ? PROFILE_MAX_WIDTH_PX : undefined,
      }}
      {...handlers}
    >
      <img
        src={picture.url}
        alt=""
        draggable={false}
        style={{
          left: share(box.left, target.width),
          top: share(box.top, target.height),
          width: share(box.width, target.width),
          height: share(box.height, target.height),
        }}
      />
    </div>
  );
}

interface ZoomSliderProps {
  min: number;
  max: number;
  scale: number;
  disabled: boolean;
  onChange: (scale: number) => void;
}

function ZoomSlider({ min, max, scale, disabled, onChange }: ZoomSliderProps) {
  const percent = Math.round(scale * 100);
  return (
    <label className={css.zoom}>
      <span className="label">Zoom</span>
      <input
        type="range"
        min={min}
        max={max}
        step={SLIDER_STEP}
        value={scale}
        disabled={disabled || min === max}
        aria-valuetext={`${percent} %`}
        onChange={(event) => onChange(Number(event.target.value))}
      />
      <output className="number">{percent}%</output>
    </label>
  );
}
