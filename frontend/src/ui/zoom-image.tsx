import { useState } from "react";
import { createPortal } from "react-dom";
import { Dialog } from "./dialog";
import css from "./zoom-image.module.css";

/** A picture that opens enlarged in a dialog. Broken pictures are hidden. */
export function ZoomImage({ src, title }: { src: string; title: string }) {
  const [open, setOpen] = useState(false);
  const [broken, setBroken] = useState(false);
  if (broken) return null;
  return (
    <>
      <button type="button" className={css.thumb} aria-label={`Enlarge: ${title}`} onClick={() => setOpen(true)}>
        <img src={src} alt={title} loading="lazy" decoding="async" onError={() => setBroken(true)} />
      </button>
      {/* A picture may be inside a paragraph; a dialog may not. */}
      {open &&
        createPortal(
          <Dialog wide title={title} onClose={() => setOpen(false)}>
            <img src={src} alt={title} className={css.large} />
          </Dialog>,
          document.body,
        )}
    </>
  );
}
