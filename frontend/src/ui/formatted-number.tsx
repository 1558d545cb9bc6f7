import { clsx } from "clsx";
import { exact, short } from "../lib/numbers";
import { duration } from "../lib/times";

/**
 * An abbreviated number. Pointer, tap (`exact-tip.tsx`) and screen readers get the exact value. `seconds` formats a duration.
 */
export function FormattedNumber({
  value,
  seconds = false,
  className,
}: {
  value: number;
  seconds?: boolean;
  className?: string;
}) {
  const shown = seconds ? duration(value) : short(value);
  const whole = seconds ? `${exact(value)} seconds` : exact(value);
  if (shown === whole) return <span className={clsx("number", className)}>{shown}</span>;
  return (
    <span className={clsx("number", className)} data-exact={whole}>
      <span aria-hidden="true">{shown}</span>
      <span className="visually-hidden">{seconds ? shown : whole}</span>
    </span>
  );
}
