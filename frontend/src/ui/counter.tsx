import { clsx } from "clsx";
import type { CSSProperties } from "react";
import { exact } from "../lib/numbers";
import css from "./counter.module.css";

const DIGITS = "0123456789";
/** One text, a digit a line: an element for each would be most of what the page draws. */
const REEL = [...DIGITS].join("\n");

interface CounterProps {
  value: number;
  className?: string;
  /** False holds all digits at zero; they roll to the value once it is true. */
  started?: boolean;
}

/** A large number whose digits roll to a new value. Screen readers get the plain number; reduced motion gets it at once. */
export function Counter({ value, className, started = true }: CounterProps) {
  const text = exact(value);
  return (
    <span className={clsx("number", css.counter, className)}>
      <span className="visually-hidden">{text}</span>
      <span aria-hidden="true" className={css.strip}>
        {[...text].map((char, index) => {
          // Counted from the right, a digit keeps its place when the number grows.
          const place = text.length - index;
          if (!DIGITS.includes(char)) return <span key={place}>{char}</span>;
          const turn = { "--digit": started ? Number(char) : 0, "--at": index } as CSSProperties;
          return (
            <span key={place} className={css.window}>
              <span className={css.reel} style={turn}>
                {REEL}
              </span>
            </span>
          );
        })}
      </span>
    </span>
  );
}
