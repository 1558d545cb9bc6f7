import { Check, Copy, Share2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, type ButtonLook } from "./button";
import { copyText } from "./clipboard";

function useCopied(forMs: number): [boolean, (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [
    copied,
    async (text) => {
      if (!(await copyText(text))) return;
      setCopied(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), forMs);
    },
  ];
}

/** Copies `text` and shows so for `forMs`. */
export function CopyButton({
  text,
  label = "Copy",
  forMs = 2_000,
  ...look
}: { text: string; label?: string; forMs?: number } & ButtonLook) {
  const [copied, copy] = useCopied(forMs);
  const Icon = copied ? Check : Copy;
  return (
    <Button {...look} onClick={() => void copy(text)}>
      <Icon size={16} aria-hidden="true" />
      <span aria-live="polite">{copied ? "Copied!" : label}</span>
    </Button>
  );
}

/** Copies the address of the page. */
export function ShareButton(look: ButtonLook) {
  const [copied, copy] = useCopied(2_000);
  const Icon = copied ? Check : Share2;
  return (
    <Button {...look} onClick={() => void copy(window.location.href)}>
      <Icon size={16} aria-hidden="true" />
      <span aria-live="polite">{copied ? "Copied!" : "Share"}</span>
    </Button>
  );
}
