import { clsx } from "clsx";
import { exact } from "../lib/numbers";
import css from "./counter.module.css";

const DIGITS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** A large number whose digits roll to a new value. Screen readers get the plain number; reduced motion gets it at once. */
export function Counter({ value, className }: { value: number; className?: string }) {
  const text = exact(value);
  return (
    <span className={clsx("figure", css.counter, className)}>
      <span className="visually-hidden">{text}</span>
      <span aria-hidden="true" className={css.strip}>
        {[...text].map((char, at) => {
          // Counted from the right, a digit keeps its place when the number grows.
          const place = text.length - at;
          if (!DIGITS.includes(char)) return <span key={place}>{char}</span>;
          return (
            <span key={place} className={css.window}>
              <span className={css.reel} style={{ transform: `translateY(-${Number(char) * 10}%)` }}>
                {DIGITS.map((digit) => (
                  <span key={digit}>{digit}</span>
                ))}
              </span>
            </span>
          );
        })}
      </span>
    </span>
  );
}
