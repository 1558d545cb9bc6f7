import { useEffect, useRef, useState } from "react";
import { copyText } from "./clipboard";

/** Returns whether a text was copied within the last `feedbackMs`, and the function that copies a text. */
export function useCopied(feedbackMs: number): [isCopied: boolean, copy: (text: string) => Promise<void>] {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string) => {
    if (!(await copyText(text))) return;
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), feedbackMs);
  };
  return [isCopied, copy];
}
