// Geometry of the image editor: the position and scale of a picture in its crop frame, in target pixels.

export type CropType = "profile" | "banner";

export interface Size {
  width: number;
  height: number;
}

/**
 * `scale` is in target pixels per picture pixel; `x` and `y` are the offset of the picture's center from the frame's center.
 */
export interface Crop {
  scale: number;
  x: number;
  y: number;
}

export const TARGET_SIZES: Readonly<Record<CropType, Size>> = {
  profile: { width: 400, height: 400 },
  banner: { width: 1200, height: 300 },
};

const SCALE_MIN = 0.1;
const SCALE_MAX = 5;
/** The picture may be scaled down to this share of the scale that fills the frame. */
const MIN_SHARE_OF_FILL = 0.8;
const RATIO_TOLERANCE = 0.1;

/** Returns the scale at which the picture just covers the frame. */
export function fillScale(picture: Size, frame: Size): number {
  return Math.max(frame.width / picture.width, frame.height / picture.height);
}

/** Returns the allowed scales. A tiny picture, whose minimum would exceed the maximum, has only that one. */
export function scaleRange(picture: Size, frame: Size): { min: number; max: number } {
  return {
    min: Math.min(SCALE_MAX, Math.max(SCALE_MIN, fillScale(picture, frame) * MIN_SHARE_OF_FILL)),
    max: SCALE_MAX,
  };
}

/** Clamps scale and offset, so that no more of the frame is empty than the scale requires. */
export function clamped(crop: Crop, picture: Size, frame: Size): Crop {
  const { min, max } = scaleRange(picture, frame);
  const scale = Math.min(max, Math.max(min, crop.scale));
  const within = (shift: number, drawn: number, room: number) => {
    const most = Math.abs(drawn - room) / 2;
    // Adding 0 turns the -0 of a full clamp into 0.
    return Math.min(most, Math.max(-most, shift)) + 0;
  };
  return {
    scale,
    x: within(crop.x, picture.width * scale, frame.width),
    y: within(crop.y, picture.height * scale, frame.height),
  };
}

/** *Use Defaults*: covers the frame as far as the maximum scale allows, centered. */
export function fillingCrop(picture: Size, frame: Size): Crop {
  return clamped({ scale: Math.min(SCALE_MAX, fillScale(picture, frame)), x: 0, y: 0 }, picture, frame);
}

/** *Reset*: the minimum scale, centered. */
export function smallestCrop(picture: Size, frame: Size): Crop {
  return { scale: scaleRange(picture, frame).min, x: 0, y: 0 };
}

export function pannedCrop(crop: Crop, dx: number, dy: number, picture: Size, frame: Size): Crop {
  return clamped({ ...crop, x: crop.x + dx, y: crop.y + dy }, picture, frame);
}

/**
 * Changes the scale. The point of the picture under `at` (relative to the frame's center) remains fixed as far as the limits
 * allow.
 */
export function zoomedCrop(crop: Crop, scale: number, picture: Size, frame: Size, at = { x: 0, y: 0 }): Crop {
  const { min, max } = scaleRange(picture, frame);
  const to = Math.min(max, Math.max(min, scale));
  const by = to / crop.scale;
  return clamped({ scale: to, x: at.x - (at.x - crop.x) * by, y: at.y - (at.y - crop.y) * by }, picture, frame);
}

/** Returns where the picture is drawn, in target pixels from the frame's top left corner. */
export function drawnBox(crop: Crop, picture: Size, frame: Size): Size & { left: number; top: number } {
  const width = picture.width * crop.scale;
  const height = picture.height * crop.scale;
  return { width, height, left: (frame.width - width) / 2 + crop.x, top: (frame.height - height) / 2 + crop.y };
}

/** Returns why a picture must be cropped before the upload, or null. */
export function resizeReason(picture: Size, target: Size): "Image too large" | "Wrong aspect ratio" | null {
  if (picture.width > target.width || picture.height > target.height) return "Image too large";
  const off = Math.abs(picture.width / picture.height - target.width / target.height);
  return off > RATIO_TOLERANCE ? "Wrong aspect ratio" : null;
}

/** The file name of a cropped picture; `at` is in epoch milliseconds. */
export function croppedName(type: CropType, at: number, original: string): string {
  return `cropped_${type}_${at}_${original}`;
}
