import { useEffect, useRef, useState } from "react";

const CLOSE_AFTER_MS = 1_500;
const SUCCESS_MS = 3_000;

export interface SaveState {
  saving: boolean;
  said: { tone: "error" | "success"; text: string } | null;
  /** Runs `save`; says `done` and closes a moment later, or says what `failure` makes of the error. */
  run: (save: () => Promise<unknown>, done: string, failure: (error: unknown) => string) => Promise<void>;
  say: (text: string) => void;
}

/** The saving of a form in a window. */
export function useSave(onClose: () => void): SaveState {
  const [saving, setSaving] = useState(false);
  const [said, setSaid] = useState<SaveState["said"]>(null);
  const timers = useRef<ReturnType<typeof setTimeout>[]>([]);
  useEffect(() => () => timers.current.forEach(clearTimeout), []);
  const later = (act: () => void, afterMs: number) => timers.current.push(setTimeout(act, afterMs));
  return {
    saving,
    said,
    say: (text) => setSaid({ tone: "error", text }),
    run: async (save, done, failure) => {
      setSaving(true);
      setSaid(null);
      try {
        await save();
        setSaid({ tone: "success", text: done });
        later(onClose, CLOSE_AFTER_MS);
        later(() => setSaid(null), SUCCESS_MS);
      } catch (error) {
        setSaid({ tone: "error", text: failure(error) });
      } finally {
        setSaving(false);
      }
    },
  };
}
