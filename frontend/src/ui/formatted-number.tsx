import { clsx } from "clsx";
import { exact, short } from "../lib/numbers";
import { duration } from "../lib/times";

/** A number in short form; pointer, tap (`exact-tip.tsx`) and screen readers get it exactly. `seconds` writes a span instead. */
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
