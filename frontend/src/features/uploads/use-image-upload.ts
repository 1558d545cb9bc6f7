import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError, serverSentence } from "../../api/errors";
import { removeImage, type UploadTarget, uploadImage } from "../../api/uploads";
import { type Crop, type CropType, croppedName, resizeReason, TARGET_SIZES } from "../../lib/crop";
import { cropPicture, type FileRules, fileProblem, type Picture, readPicture } from "./picture-file";
import { type Message, useMessage } from "./use-message";
import { useSimulatedProgress } from "./use-simulated-progress";

export interface ImageUploadOptions {
  type: CropType;
  owner: "player" | "guild";
  rules: FileRules;
  /** The path in the form. */
  value: string | null;
  /** The stored path. The server deletes the file when settings no longer refer to it. */
  saved?: string | null;
  successText: string;
  /** Shown if an upload fails without a message from the server. */
  failureText?: string;
  onChange: (path: string | null) => void;
  onBusy?: (busy: boolean) => void;
}

/** Selects, crops, uploads and removes the picture of a form field. `picture` must be cropped before its upload. */
export function useImageUpload(options: ImageUploadOptions) {
  const { type, owner, rules, value, saved = null, onChange } = options;
  const [picture, setPicture] = useState<Picture | null>(null);
  const [message, setMessage] = useMessage();
  const { send, isSending, progress } = useUpload(options, setMessage);
  const fail = (text: string) => setMessage({ tone: "error", text });
  const removing = useMutation({
    mutationFn: removeImage,
    onSuccess: () => onChange(null),
    onError: (error) => fail(serverSentence(error) || statusText(error) || "Delete failed"),
  });
  const url = picture?.url;
  useEffect(() => (url ? () => URL.revokeObjectURL(url) : undefined), [url]);

  const select = async (file: File | null | undefined, dropped = false) => {
    const problem = fileProblem(file, rules, dropped);
    if (problem || !file) return fail(problem ?? "No file provided");
    try {
      const read = await readPicture(file);
      const reason = resizeReason(read.size, TARGET_SIZES[type]);
      if (reason) {
        setMessage({ tone: "note", text: `Image needs adjustment: ${reason}` });
        setPicture(read);
      } else {
        URL.revokeObjectURL(read.url);
        send({ to: originalTarget(type, owner), image: file, name: file.name });
      }
    } catch (error) {
      fail(pictureErrorText(error));
    }
  };
  const crop = async (place: Crop) => {
    if (!picture) return fail("No image data provided");
    try {
      const image = await cropPicture(picture, place, type);
      const name = croppedName(type, Date.now(), picture.file.name);
      send({ to: `cropped-${type}-image`, image, name }, { onSuccess: () => setPicture(null) });
    } catch (error) {
      fail(pictureErrorText(error));
    }
  };
  const cancel = () => {
    setPicture(null);
    setMessage(null);
  };
  const remove = () => {
    if (!value) return fail("No image path provided");
    // The server deletes a stored picture when the settings are saved; others are deleted immediately.
    if (value === saved) onChange(null);
    else removing.mutate(value);
  };
  return { picture, message, progress, isBusy: isSending || removing.isPending, select, crop, cancel, remove };
}

interface Upload {
  to: UploadTarget;
  image: Blob;
  name: string;
}

/** Sends pictures to the server and reports the result. */
function useUpload(options: ImageUploadOptions, setMessage: (message: Message | null) => void) {
  const { owner, successText, failureText, onChange, onBusy } = options;
  const { progress, start, end } = useSimulatedProgress();
  const { mutate, isPending } = useMutation({
    mutationFn: ({ to, image, name }: Upload) => uploadImage(to, image, name, owner),
    onMutate: () => {
      onBusy?.(true);
      setMessage(null);
      start();
    },
    onSuccess: (path) => {
      setMessage({ tone: "success", text: successText });
      onChange(path);
    },
    onError: (error) => {
      const text = serverSentence(error) || failureText || statusText(error) || "Upload failed";
      setMessage({ tone: "error", text });
    },
    onSettled: (_path, error) => {
      end(error === null);
      onBusy?.(false);
    },
  });
  return { send: mutate, isSending: isPending, progress };
}

/** Returns the client's message for an error response without a readable body; otherwise an empty string. */
const statusText = (error: unknown) =>
  error instanceof ApiError && error.status >= 400 && error.body === null ? error.message : "";

const pictureErrorText = (error: unknown) => (error instanceof Error ? error.message : "Failed to load image");

function originalTarget(type: CropType, owner: "player" | "guild"): UploadTarget {
  if (owner === "guild") return type === "profile" ? "guild-image" : "banner-image";
  return type === "profile" ? "profile-image" : "profile-banner-image";
}
