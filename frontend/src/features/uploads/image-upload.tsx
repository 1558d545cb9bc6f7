import { useMutation } from "@tanstack/react-query";
import { ImageUp, Trash2 } from "lucide-react";
import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import { ApiError, serverSentence } from "../../api/errors";
import { removeImage, type UploadTarget, uploadImage } from "../../api/uploads";
import { type Crop, type CropType, croppedName, resizeReason, TARGET_SIZES } from "../../lib/crop";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Image } from "../../ui/image";
import { ImageEditor } from "./image-editor";
import css from "./image-upload.module.css";
import { cropPicture, type FileRules, fileProblem, type Picture, readPicture } from "./picture-file";
import { useSimulatedProgress } from "./use-simulated-progress";

const ERROR_DURATION_MS = 8_000;
const SUCCESS_DURATION_MS = 5_000;

interface ImageUploadProps {
  label: string;
  type: CropType;
  owner: "player" | "guild";
  rules: FileRules;
  /** The path in the form. */
  value: string | null;
  fallback: string;
  /** The stored path. The server deletes the file when settings no longer refer to it. */
  saved?: string | null;
  successText: string;
  /** Shown if an upload fails without a message from the server. */
  failureText?: string;
  disabled?: boolean;
  onChange: (path: string | null) => void;
  onBusy?: (busy: boolean) => void;
}

interface Message {
  tone: "error" | "success" | "note";
  text: string;
}

/** Selects, crops, uploads and removes a picture. */
export function ImageUpload(props: ImageUploadProps) {
  const {
    label,
    type,
    owner,
    rules,
    value,
    fallback,
    saved = null,
    successText,
    failureText,
    disabled = false,
  } = props;
  const [picture, setPicture] = useState<Picture | null>(null);
  const [message, setMessage] = useState<Message | null>(null);
  const [isDraggedOver, setOver] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const { progress, start, end } = useSimulatedProgress();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const target = TARGET_SIZES[type];

  useEffect(() => {
    if (!message || message.tone === "note") return;
    const timer = setTimeout(
      () => setMessage(null),
      message.tone === "error" ? ERROR_DURATION_MS : SUCCESS_DURATION_MS,
    );
    return () => clearTimeout(timer);
  }, [message]);
  const url = picture?.url;
  useEffect(() => (url ? () => URL.revokeObjectURL(url) : undefined), [url]);

  const fail = (text: string) => setMessage({ tone: "error", text });
  const sending = useMutation({
    mutationFn: ({ to, image, name }: { to: UploadTarget; image: Blob; name: string }) =>
      uploadImage(to, image, name, owner),
    onMutate: () => {
      props.onBusy?.(true);
      setMessage(null);
      start();
    },
    onSuccess: (path) => {
      setPicture(null);
      setMessage({ tone: "success", text: successText });
      props.onChange(path);
    },
    onError: (error) => fail(serverSentence(error) || failureText || statusText(error) || "Upload failed"),
    onSettled: (_path, error) => {
      end(error === null);
      props.onBusy?.(false);
    },
  });
  const removing = useMutation({
    mutationFn: removeImage,
    onSuccess: () => props.onChange(null),
    onError: (error) => fail(serverSentence(error) || statusText(error) || "Delete failed"),
  });
  const locked = disabled || sending.isPending || removing.isPending;
  const selectFile = async (file: File | null | undefined, dropped = false) => {
    const problem = fileProblem(file, rules, dropped);
    if (problem || !file) return fail(problem ?? "No file provided");
    try {
      const read = await readPicture(file);
      const reason = resizeReason(read.size, target);
      if (reason) {
        setMessage({ tone: "note", text: `Image needs adjustment: ${reason}` });
        setPicture(read);
      } else {
        URL.revokeObjectURL(read.url);
        sending.mutate({ to: originalTarget(type, owner), image: file, name: file.name });
      }
    } catch (error) {
      fail(error instanceof Error ? error.message : "Failed to load image");
    }
  };
  const crop = async (place: Crop) => {
    if (!picture) return fail("No image data provided");
    try {
      const blob = await cropPicture(picture, place, type);
      sending.mutate({
        to: type === "profile" ? "cropped-profile-image" : "cropped-banner-image",
        image: blob,
        name: croppedName(type, Date.now(), picture.file.name),
      });
    } catch (error) {
      fail(error instanceof Error ? error.message : "Failed to load image");
    }
  };
  const remove = () => {
    setConfirming(false);
    if (!value) return fail("No image path provided");
    // The server deletes a stored picture when the settings are saved; others are deleted immediately.
    if (value === saved) props.onChange(null);
    else removing.mutate(value);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!locked) void selectFile(event.dataTransfer.files[0], true);
  };

  return (
    <section className={css.upload} aria-labelledby={id}>
      <h3 id={id}>{label}</h3>
      {picture ? (
        <ImageEditor
          picture={picture}
          type={type}
          busy={locked}
          onDone={(place) => void crop(place)}
          onCancel={() => {
            setPicture(null);
            setMessage(null);
          }}
        />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the button is for everybody
        <div
          className={css.drop}
          data-type={type}
          data-over={isDraggedOver || undefined}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <Image
            src={value}
            fallback={fallback}
            alt=""
            width={type === "profile" ? 96 : 320}
            height={type === "profile" ? 96 : 80}
            className={css.preview}
            eager
          />
          <div className={css.choose}>
            <div className={css.buttons}>
              <Button size="small" disabled={locked} onClick={() => input.current?.click()}>
                <ImageUp size={16} aria-hidden="true" /> Choose file
              </Button>
              {value && (
                <Button size="small" variant="danger" disabled={locked} onClick={() => setConfirming(true)}>
                  <Trash2 size={16} aria-hidden="true" /> Remove
                </Button>
              )}
            </div>
            <p className="quiet">
              Or drop a file here. PNG, JPG or WebP, up to {rules.maxBytes / 1_048_576} MB, displayed at {target.width}{" "}
              × {target.height}.
            </p>
          </div>
          <input
            ref={input}
            type="file"
            hidden
            aria-label={label}
            accept="image/png,image/jpeg,image/webp"
            onChange={(event) => {
              const file = event.target.files?.[0];
              // Allows selecting the same file again.
              event.target.value = "";
              void selectFile(file);
            }}
          />
        </div>
      )}
      {progress !== null && progress < 100 && (
        <progress className={css.progress} max={100} value={progress} aria-label={`Uploading ${label}`} />
      )}
      <p role={message?.tone === "error" ? "alert" : "status"} className={css.message} data-tone={message?.tone}>
        {message?.text}
      </p>
      {isConfirming && (
        <ConfirmDialog title="Remove image" action="Remove" onConfirm={remove} onCancel={() => setConfirming(false)}>
          Are you sure you want to remove this {type} image?
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Returns the client's message for an error response without a readable body; otherwise an empty string. */
const statusText = (error: unknown) =>
  error instanceof ApiError && error.status >= 400 && error.body === null ? error.message : "";

function originalTarget(type: CropType, owner: "player" | "guild"): UploadTarget {
  if (owner === "guild") return type === "profile" ? "guild-image" : "banner-image";
  return type === "profile" ? "profile-image" : "profile-banner-image";
}
