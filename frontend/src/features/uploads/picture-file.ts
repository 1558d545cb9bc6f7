// Validates, reads and crops a picture file before the upload.
import { type Crop, type CropType, drawnBox, type Size, TARGET_SIZES } from "../../lib/crop";

export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp"];
export const MB = 1_048_576;
const JPEG_QUALITY = 0.9;

/** The size limit of a file, and the messages for files that are rejected. */
export interface FileRules {
  maxBytes: number;
  typeText: string;
  sizeText: string;
}

/** Returns the rules of the edit dialogs. */
export const dialogRules = (megabytes: number): FileRules => ({
  maxBytes: megabytes * MB,
  typeText: "Only PNG, JPG, and WebP files are allowed",
  sizeText: `File size must be less than ${megabytes}MB`,
});

export const UPLOAD_RULES: FileRules = {
  maxBytes: 10 * MB,
  typeText: `Unsupported format. Supported: ${IMAGE_TYPES.join(", ")}`,
  sizeText: "File too large. Maximum size: 10MB",
};

/** Returns what is wrong with a selected or dropped file, or null. */
export function fileProblem(file: File | null | undefined, rules: FileRules, dropped = false): string | null {
  if (!file) return "No file provided";
  if (dropped && !file.type.startsWith("image/")) return "Please drop an image file";
  if (!IMAGE_TYPES.includes(file.type)) return rules.typeText;
  if (file.size > rules.maxBytes) return rules.sizeText;
  return null;
}

export interface Picture {
  file: File;
  /** An object URL. The caller of `readPicture` revokes it. */
  url: string;
  size: Size;
}

/** Reads a picture and its size. Throws `Failed to load image`. */
export function readPicture(file: File): Promise<Picture> {
  const url = URL.createObjectURL(file);
  return new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => done({ file, url, size: { width: image.naturalWidth, height: image.naturalHeight } });
    image.onerror = () => {
      URL.revokeObjectURL(url);
      fail(new Error("Failed to load image"));
    };
    image.src = url;
  });
}

/** Returns the part of a picture within the frame as a JPEG of the target size. */
export async function cropPicture(picture: Picture, crop: Crop, type: CropType): Promise<Blob> {
  const target = TARGET_SIZES[type];
  const canvas = document.createElement("canvas");
  canvas.width = target.width;
  canvas.height = target.height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("No image data provided");
  const image = new Image();
  image.src = picture.url;
  await image.decode().catch(() => {
    throw new Error("Failed to load image");
  });
  const { left, top, width, height } = drawnBox(crop, picture.size, target);
  context.imageSmoothingQuality = "high";
  context.fillRect(0, 0, target.width, target.height);
  context.drawImage(image, left, top, width, height);
  return new Promise((done, fail) => {
    canvas.toBlob(
      (blob) => (blob ? done(blob) : fail(new Error("No image data provided"))),
      "image/jpeg",
      JPEG_QUALITY,
    );
  });
}
