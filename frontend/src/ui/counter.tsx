import { clsx } from "clsx";
import type { CSSProperties } from "react";
import { exact } from "../lib/numbers";
import css from "./counter.module.css";

const DIGITS = "0123456789";
/** One text node with a digit per line: an element per digit would dominate the page's DOM. */
const REEL = [...DIGITS].join("\n");

interface CounterProps {
  value: number;
  className?: string;
  /** While false, all digits are zero. */
  started?: boolean;
}

/** A number whose digits roll to a new value. Screen readers get plain text; reduced motion shows the value without rolling. */
export function Counter({ value, className, started = true }: CounterProps) {
  const text = exact(value);
  return (
    <span className={clsx("number", className)}>
      <span className="visually-hidden">{text}</span>
      <span aria-hidden="true" className={css.strip}>
        {[...text].map((char, index) => {
          // Positions count from the right, so that digits keep their key when the number grows.
          const position = text.length - index;
          if (!DIGITS.includes(char)) return <span key={position}>{char}</span>;
          const style = { "--digit": started ? Number(char) : 0, "--at": index } as CSSProperties;
          return (
            <span key={position} className={css.window}>
              <span className={css.reel} style={style}>
                {REEL}
              </span>
            </span>
          );
        })}
      </span>
    </span>
  );
}
