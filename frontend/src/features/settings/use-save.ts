import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

const CLOSE_AFTER_MS = 1_500;
const SUCCESS_MS = 3_000;

interface SaveOptions<Body> {
  save: (body: Body) => Promise<unknown>;
  /** Shown after a success. */
  done: string;
  /** What to show for an error. */
  failure: (error: unknown) => string;
  onSaved: () => void;
  /** Called a moment after a success. */
  onClose: () => void;
}

export interface SaveState<Body> {
  saving: boolean;
  said: { tone: "error" | "success"; text: string } | null;
  save: (body: Body) => void;
  say: (text: string) => void;
}

/** The saving of a form in a window. */
export function useSave<Body>({ save, done, failure, onSaved, onClose }: SaveOptions<Body>): SaveState<Body> {
  const [said, setSaid] = useState<SaveState<Body>["said"]>(null);
  const timers = useRef<ReturnType<typeof setTimeout>[]>([]);
  useEffect(() => () => timers.current.forEach(clearTimeout), []);
  const later = (act: () => void, afterMs: number) => timers.current.push(setTimeout(act, afterMs));
  const { mutate, isPending } = useMutation({
    mutationFn: save,
    onMutate: () => setSaid(null),
    onSuccess: () => {
      setSaid({ tone: "success", text: done });
      onSaved();
      later(onClose, CLOSE_AFTER_MS);
      later(() => setSaid(null), SUCCESS_MS);
    },
    onError: (error) => setSaid({ tone: "error", text: failure(error) }),
  });
  return { saving: isPending, said, save: mutate, say: (text) => setSaid({ tone: "error", text }) };
}
