import { Check } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { copyText } from "./clipboard";
import css from "./copy-code.module.css";

/** Inline code that a click copies. A check mark confirms it for `feedbackMs`. */
export function CopyCode({ text, feedbackMs = 1_500 }: { text: string; feedbackMs?: number }) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), feedbackMs);
  };
  return (
    <button type="button" className={css.code} title="Copy" onClick={() => void copy()}>
      <code>{text}</code>
      <span role="status" className={copied ? css.mark : "visually-hidden"}>
        {copied && (
          <>
            <Check size={14} aria-hidden="true" />
            <span className="visually-hidden">Copied</span>
          </>
        )}
      </span>
    </button>
  );
}
