import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from "react";
import { type Crop, pannedCrop, type Size, zoomedCrop } from "../../lib/crop";

const ZOOM_OUT_FACTOR = 0.9;
const ZOOM_IN_FACTOR = 1.1;
/** The distance of an arrow key in target pixels; Shift multiplies it by ten. */
const KEY_STEP_PX = 4;
const ARROW_DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Point {
  x: number;
  y: number;
}

interface CropGestureOptions {
  frame: RefObject<HTMLElement | null>;
  /** The size of the picture. */
  size: Size;
  target: Size;
  onChange: (change: (crop: Crop) => Crop) => void;
}

/** Moves and zooms a picture in its frame by drag, pinch, wheel and keyboard. Returns the event handlers of the frame. */
export function useCropGestures({ frame, size, target, onChange }: CropGestureOptions) {
  const pan = (dx: number, dy: number) => onChange((crop) => pannedCrop(crop, dx, dy, size, target));
  const zoom = (factor: number, at?: Point) =>
    onChange((crop) => zoomedCrop(crop, crop.scale * factor, size, target, at));
  const targetPixelsPerScreenPixel = () => target.width / (frame.current?.clientWidth || target.width);
  const fromCenter = ({ x, y }: Point): Point => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    const ratio = targetPixelsPerScreenPixel();
    return { x: (x - box.left - box.width / 2) * ratio, y: (y - box.top - box.height / 2) * ratio };
  };

  useWheel(frame, (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? ZOOM_OUT_FACTOR : ZOOM_IN_FACTOR, fromCenter({ x: event.clientX, y: event.clientY }));
  });
  const pointerHandlers = usePointers({
    onDrag: (from, to) => {
      const ratio = targetPixelsPerScreenPixel();
      pan((to.x - from.x) * ratio, (to.y - from.y) * ratio);
    },
    onPinch: (from, to, other) => {
      const distance = distanceBetween(from, other);
      const middle = { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 };
      zoom(distance > 0 ? distanceBetween(to, other) / distance : 1, fromCenter(middle));
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = KEY_STEP_PX * (event.shiftKey ? 10 : 1);
    const direction = ARROW_DIRECTIONS[event.key];
    if (direction) pan(direction[0] * step, direction[1] * step);
    else if (event.key === "+" || event.key === "=") zoom(ZOOM_IN_FACTOR);
    else if (event.key === "-") zoom(ZOOM_OUT_FACTOR);
    else return;
    event.preventDefault();
  };
  return { ...pointerHandlers, onKeyDown };
}

const distanceBetween = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);

/** Calls `onWheel` for an element. React's wheel listeners are passive and cannot prevent scrolling. */
function useWheel(element: RefObject<HTMLElement | null>, onWheel: (event: WheelEvent) => void): void {
  useEffect(() => {
    const { current } = element;
    current?.addEventListener("wheel", onWheel, { passive: false });
    return () => current?.removeEventListener("wheel", onWheel);
  });
}

interface PointerOptions {
  onDrag: (from: Point, to: Point) => void;
  /** The pointer moved while `other` was pressed, too. */
  onPinch: (from: Point, to: Point, other: Point) => void;
}

/** Tracks the pressed pointers of an element. Returns its event handlers. */
function usePointers({ onDrag, onPinch }: PointerOptions) {
  const pressed = useRef(new Map<number, Point>());
  const onPointerUp = ({ pointerId }: PointerEvent) => void pressed.current.delete(pointerId);
  return {
    onPointerDown: ({ currentTarget, pointerId, clientX, clientY }: PointerEvent) => {
      currentTarget.setPointerCapture?.(pointerId);
      pressed.current.set(pointerId, { x: clientX, y: clientY });
    },
    onPointerMove: ({ pointerId, clientX, clientY }: PointerEvent) => {
      const from = pressed.current.get(pointerId);
      if (!from) return;
      const to = { x: clientX, y: clientY };
      const other = [...pressed.current].find(([id]) => id !== pointerId)?.[1];
      pressed.current.set(pointerId, to);
      if (other) onPinch(from, to, other);
      else onDrag(from, to);
    },
    onPointerUp,
    onPointerCancel: onPointerUp,
  };
}
