import { useId, useState } from "react";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { DropArea } from "./drop-area";
import { ImageEditor } from "./image-editor";
import css from "./image-upload.module.css";
import { type ImageUploadOptions, useImageUpload } from "./use-image-upload";

interface ImageUploadProps extends ImageUploadOptions {
  label: string;
  fallback: string;
  disabled?: boolean;
}

/** Selects, crops, uploads and removes a picture. */
export function ImageUpload({ label, fallback, disabled = false, ...options }: ImageUploadProps) {
  const { type, rules, value } = options;
  const { picture, message, progress, isBusy, select, crop, cancel, remove } = useImageUpload(options);
  const [isConfirming, setConfirming] = useState(false);
  const id = useId();
  const isLocked = disabled || isBusy;
  const confirm = () => {
    setConfirming(false);
    remove();
  };
  return (
    <section className={css.upload} aria-labelledby={id}>
      <h3 id={id}>{label}</h3>
      {picture ? (
        <ImageEditor picture={picture} type={type} busy={isLocked} onDone={crop} onCancel={cancel} />
      ) : (
        <DropArea
          label={label}
          type={type}
          maxBytes={rules.maxBytes}
          value={value}
          fallback={fallback}
          disabled={isLocked}
          onSelect={select}
          onRemove={() => setConfirming(true)}
        />
      )}
      {progress !== null && progress < 100 && (
        <progress className={css.progress} max={100} value={progress} aria-label={`Uploading ${label}`} />
      )}
      <p role={message?.tone === "error" ? "alert" : "status"} className={css.message} data-tone={message?.tone}>
        {message?.text}
      </p>
      {isConfirming && (
        <ConfirmDialog title="Remove image" action="Remove" onConfirm={confirm} onCancel={() => setConfirming(false)}>
          Are you sure you want to remove this {type} image?
        </ConfirmDialog>
      )}
    </section>
  );
}
