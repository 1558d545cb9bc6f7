import { Check } from "lucide-react";
import css from "./copy-code.module.css";
import { useCopied } from "./use-copied";

/** Inline code that a click copies. A check mark confirms it for `feedbackMs`. */
export function CopyCode({ text, feedbackMs = 1_500 }: { text: string; feedbackMs?: number }) {
  const [copied, copy] = useCopied(feedbackMs);
  return (
    <button type="button" className={css.code} title="Copy" onClick={() => void copy(text)}>
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
