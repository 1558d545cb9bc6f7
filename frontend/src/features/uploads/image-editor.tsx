import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import {
  type Crop,
  type CropType,
  drawnBox,
  fillingCrop,
  pannedCrop,
  scaleRange,
  smallestCrop,
  TARGET_SIZES,
  zoomedCrop,
} from "../../lib/crop";
import { Button } from "../../ui/button";
import css from "./image-editor.module.css";
import type { Picture } from "./picture-file";

const ZOOM_OUT_FACTOR = 0.9;
const ZOOM_IN_FACTOR = 1.1;
const SLIDER_STEP = 0.1;
/** The distance of an arrow key in target pixels; Shift multiplies it by ten. */
const KEY_STEP_PX = 4;

interface ImageEditorProps {
  picture: Picture;
  type: CropType;
  busy: boolean;
  onDone: (crop: Crop) => void;
  onCancel: () => void;
}

/** Crops a picture: drag, wheel, pinch, slider or keyboard position it in the frame. */
export function ImageEditor({ picture, type, busy, onDone, onCancel }: ImageEditorProps) {
  const target = TARGET_SIZES[type];
  const { size } = picture;
  const [crop, setCrop] = useState<Crop>(() => fillingCrop(size, target));
  const frame = useRef<HTMLDivElement>(null);
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const { min, max } = scaleRange(size, target);

  const targetPixelsPerScreenPixel = () => target.width / (frame.current?.clientWidth || target.width);
  const fromCenter = (clientX: number, clientY: number) => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    const by = targetPixelsPerScreenPixel();
    return { x: (clientX - box.left - box.width / 2) * by, y: (clientY - box.top - box.height / 2) * by };
  };
  const zoom = (by: number, at?: { x: number; y: number }) =>
    setCrop((was) => zoomedCrop(was, was.scale * by, size, target, at));

  const wheel = useRef((_event: WheelEvent) => {});
  useEffect(() => {
    wheel.current = (event) => {
      event.preventDefault();
      zoom(event.deltaY > 0 ? ZOOM_OUT_FACTOR : ZOOM_IN_FACTOR, fromCenter(event.clientX, event.clientY));
    };
  });
  useEffect(() => {
    // React's wheel listeners are passive and cannot prevent scrolling.
    const element = frame.current;
    const listen = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", listen, { passive: false });
    return () => element?.removeEventListener("wheel", listen);
  }, []);

  const down = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture?.(event.pointerId);
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, now);
    const by = targetPixelsPerScreenPixel();
    if (other) {
      const apart = Math.hypot(before.x - other.x, before.y - other.y);
      const ratio = apart > 0 ? Math.hypot(now.x - other.x, now.y - other.y) / apart : 1;
      zoom(ratio, fromCenter((now.x + other.x) / 2, (now.y + other.y) / 2));
    } else {
      setCrop((was) => pannedCrop(was, (now.x - before.x) * by, (now.y - before.y) * by, size, target));
    }
  };
  const up = (event: PointerEvent) => void pointers.current.delete(event.pointerId);

  const keys = (event: KeyboardEvent) => {
    const step = KEY_STEP_PX * (event.shiftKey ? 10 : 1);
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (direction)
      setCrop((was) => pannedCrop(was, (direction[0] ?? 0) * step, (direction[1] ?? 0) * step, size, target));
    else if (event.key === "+" || event.key === "=") zoom(ZOOM_IN_FACTOR);
    else if (event.key === "-") zoom(ZOOM_OUT_FACTOR);
    else return;
    event.preventDefault();
  };

  const box = drawnBox(crop, size, target);
  const share = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return (
    <div className={css.editor}>
      {/* biome-ignore lint/a11y/useSemanticElements: a keyboard-operated frame is not a fieldset */}
      <div
        ref={frame}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard commands need a focusable element
        tabIndex={0}
        aria-label="Picture in its frame. Arrow keys move it, plus and minus zoom."
        className={css.frame}
        style={{ aspectRatio: `${target.width} / ${target.height}`, maxWidth: type === "profile" ? 320 : undefined }}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onKeyDown={keys}
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
      <label className={css.zoom}>
        <span className="label">Zoom</span>
        <input
          type="range"
          min={min}
          max={max}
          step={SLIDER_STEP}
          value={crop.scale}
          disabled={busy || min === max}
          aria-valuetext={`${Math.round(crop.scale * 100)} %`}
          onChange={(event) => {
            const to = Number(event.target.value);
            setCrop((was) => zoomedCrop(was, to, size, target));
          }}
        />
        <output className="number">{Math.round(crop.scale * 100)}%</output>
      </label>
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
