import { expect, test } from "vitest";
import {
  clamped,
  croppedName,
  drawnBox,
  fillingCrop,
  pannedCrop,
  resizeReason,
  scaleRange,
  smallestCrop,
  TARGET_SIZES,
  zoomedCrop,
} from "./crop";

const { profile, banner } = TARGET_SIZES;
const photo = { width: 4000, height: 3000 };
const small = { width: 100, height: 100 };
const tiny = { width: 40, height: 10 };

test("the minimum scale is 80 % of the filling scale, and at least 0.1", () => {
  expect(scaleRange({ width: 1000, height: 1000 }, profile).min).toBeCloseTo(0.32);
  expect(scaleRange(photo, profile)).toEqual({ min: expect.closeTo(0.1067, 3), max: 5 });
  expect(scaleRange({ width: 9000, height: 9000 }, profile).min).toBe(0.1);
});

test("a picture too small to fill the frame only has the largest scale", () => {
  expect(scaleRange(tiny, banner)).toEqual({ min: 5, max: 5 });
  expect(fillingCrop(tiny, banner)).toEqual({ scale: 5, x: 0, y: 0 });
});

test("the defaults fill the frame; a reset centers the minimum scale", () => {
  expect(fillingCrop(photo, profile)).toEqual({ scale: expect.closeTo(0.1333, 3), x: 0, y: 0 });
  expect(smallestCrop(small, profile)).toEqual({ scale: 3.2, x: 0, y: 0 });
});

test("panning a picture larger than the frame leaves no gap", () => {
  const box = drawnBox(pannedCrop(fillingCrop(photo, profile), 9_999, 9_999, photo, profile), photo, profile);
  expect(box.left).toBeCloseTo(0);
  expect(box.top).toBeCloseTo(0);
  const back = drawnBox(pannedCrop(fillingCrop(photo, profile), -9_999, 0, photo, profile), photo, profile);
  expect(back.left + back.width).toBeCloseTo(400);
});

test("a picture smaller than the frame remains inside it", () => {
  const box = drawnBox(pannedCrop(smallestCrop(small, profile), 9_999, -9_999, small, profile), small, profile);
  expect(box.left + box.width).toBeCloseTo(400);
  expect(box.top).toBeCloseTo(0);
});

test("zooming keeps the point under the pointer", () => {
  const at = { x: 60, y: -40 };
  const before = { scale: 1, x: 10, y: 20 };
  const after = zoomedCrop(before, 1.1, photo, profile, at);
  expect((at.x - after.x) / after.scale).toBeCloseTo((at.x - before.x) / before.scale);
  expect((at.y - after.y) / after.scale).toBeCloseTo((at.y - before.y) / before.scale);
});

test("no scale leaves the allowed range", () => {
  expect(clamped({ scale: 99, x: 0, y: 0 }, small, profile).scale).toBe(5);
  expect(zoomedCrop(fillingCrop(small, profile), 0.01, small, profile).scale).toBe(3.2);
});

test.each([
  [{ width: 400, height: 400 }, profile, null],
  [{ width: 401, height: 300 }, profile, "Image too large"],
  [{ width: 300, height: 401 }, profile, "Image too large"],
  [{ width: 400, height: 380 }, profile, null],
  [{ width: 400, height: 350 }, profile, "Wrong aspect ratio"],
  [{ width: 1200, height: 300 }, banner, null],
  [{ width: 1200, height: 280 }, banner, "Wrong aspect ratio"],
])("%o against its target: %s", (picture, target, reason) => {
  expect(resizeReason(picture, target)).toBe(reason);
});

test("a cropped picture is named for its type, its time and its file", () => {
  expect(croppedName("banner", 1_760_000_000_000, "me.png")).toBe("cropped_banner_1760000000000_me.png");
});
