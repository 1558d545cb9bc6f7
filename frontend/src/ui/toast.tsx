// Notifications. They can be dismissed and disappear after a time, which pauses while the pointer or the focus is on them. The
// layout renders `Toasts`.
import { X } from "lucide-react";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { link } from "../lib/paths";
import { ButtonLink } from "./button";
import css from "./toast.module.css";

const ERROR_DURATION_MS = 8_000;
const SUCCESS_DURATION_MS = 5_000;

export interface Toast {
  tone: "error" | "success";
  title: ReactNode;
  text?: string;
  /** Offers a link to the sign-in. */
  signIn?: boolean;
}

let toasts: readonly (Toast & { id: number })[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(to: typeof toasts): void {
  toasts = to;
  for (const listener of listeners) listener();
}

/** Shows a notification and returns its id. It replaces one with the same text. */
export function toast(one: Toast): number {
  lastId += 1;
  const id = lastId;
  set([...toasts.filter((other) => other.title !== one.title || other.text !== one.text), { ...one, id }].slice(-4));
  return id;
}

export function dismiss(id: number): void {
  set(toasts.filter((one) => one.id !== id));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const current = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section aria-label="Notifications" aria-live="polite" className={css.toasts}>
      {current.map((one) => (
        <ToastCard key={one.id} {...one} />
      ))}
    </section>
  );
}

function ToastCard({ id, tone, title, text, signIn }: Toast & { id: number }) {
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const isPaused = hovered || focused;
  useEffect(() => {
    if (isPaused) return;
    // Restarts after a pause, since the user may have just begun to read.
    const timer = setTimeout(() => dismiss(id), tone === "error" ? ERROR_DURATION_MS : SUCCESS_DURATION_MS);
    return () => clearTimeout(timer);
  }, [id, tone, isPaused]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes pointer and focus; the buttons inside act
    <div
      className={css.toast}
      data-tone={tone}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
    >
      <div>
        <strong>{title}</strong>
        {text && <p className="quiet">{text}</p>}
        {signIn && (
          <ButtonLink to={link} size="small" onClick={() => dismiss(id)}>
            Sign In
          </ButtonLink>
        )}
      </div>
      <button type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
        <X size={16} aria-hidden="true" />
      </button>
    </div>
  );
}
