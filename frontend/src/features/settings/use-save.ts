import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

const CLOSE_DELAY_MS = 1_500;
const SUCCESS_DURATION_MS = 3_000;

interface SaveOptions<Body> {
  save: (body: Body) => Promise<unknown>;
  successText: string;
  errorTextFor: (error: unknown) => string;
  onSaved: () => void;
  /** Called shortly after a success. */
  onClose: () => void;
}

export interface SaveState<Body> {
  isSaving: boolean;
  message: { tone: "error" | "success"; text: string } | null;
  save: (body: Body) => void;
  showError: (text: string) => void;
}

/** Saves the form of a dialog. */
export function useSave<Body>({
  save,
  successText,
  errorTextFor,
  onSaved,
  onClose,
}: SaveOptions<Body>): SaveState<Body> {
  const [message, setMessage] = useState<SaveState<Body>["message"]>(null);
  const timers = useRef<ReturnType<typeof setTimeout>[]>([]);
  useEffect(() => () => timers.current.forEach(clearTimeout), []);
  const later = (act: () => void, afterMs: number) => timers.current.push(setTimeout(act, afterMs));
  const { mutate, isPending } = useMutation({
    mutationFn: save,
    onMutate: () => setMessage(null),
    onSuccess: () => {
      setMessage({ tone: "success", text: successText });
      onSaved();
      later(onClose, CLOSE_DELAY_MS);
      later(() => setMessage(null), SUCCESS_DURATION_MS);
    },
    onError: (error) => setMessage({ tone: "error", text: errorTextFor(error) }),
  });
  return { isSaving: isPending, message, save: mutate, showError: (text) => setMessage({ tone: "error", text }) };
}
