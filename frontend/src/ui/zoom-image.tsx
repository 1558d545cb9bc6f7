import { useState } from "react";
import { Dialog } from "./dialog";
import css from "./zoom-image.module.css";

/** A picture that opens large in a window. One that cannot be loaded is hidden. */
export function ZoomImage({ src, title }: { src: string; title: string }) {
  const [open, setOpen] = useState(false);
  const [broken, setBroken] = useState(false);
  if (broken) return null;
  return (
    <>
      <button type="button" className={css.thumb} aria-label={`Enlarge: ${title}`} onClick={() => setOpen(true)}>
        <img src={src} alt={title} loading="lazy" decoding="async" onError={() => setBroken(true)} />
      </button>
      {open && (
        <Dialog wide title={title} onClose={() => setOpen(false)}>
          <img src={src} alt={title} className={css.large} />
        </Dialog>
      )}
    </>
  );
}
