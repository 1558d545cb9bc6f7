import { Check, Copy, Share2 } from "lucide-react";
import { Button, type ButtonStyle } from "./button";
import { useCopied } from "./use-copied";

/** Copies `text` and confirms it for `feedbackMs`. */
export function CopyButton({
  text,
  label = "Copy",
  feedbackMs = 2_000,
  ...variant
}: { text: string; label?: string; feedbackMs?: number } & ButtonStyle) {
  const [copied, copy] = useCopied(feedbackMs);
  const Icon = copied ? Check : Copy;
  return (
    <Button {...variant} onClick={() => void copy(text)}>
      <Icon size={16} aria-hidden="true" />
      <span aria-live="polite">{copied ? "Copied!" : label}</span>
    </Button>
  );
}

/** Copies the page's URL. */
export function ShareButton(style: ButtonStyle) {
  const [copied, copy] = useCopied(2_000);
  const Icon = copied ? Check : Share2;
  return (
    <Button {...style} onClick={() => void copy(window.location.href)}>
      <Icon size={16} aria-hidden="true" />
      <span aria-live="polite">{copied ? "Copied!" : "Share"}</span>
    </Button>
  );
}
