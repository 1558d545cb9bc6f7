import { Counter } from "./counter";
import { FormattedNumber } from "./formatted-number";

const ABBREVIATE_FROM = 1_000;

/** A large number. Below 1,000 its digits roll to a new value; larger numbers are abbreviated. */
export function RollingNumber({ value, started }: { value: number; started?: boolean }) {
  return value < ABBREVIATE_FROM ? <Counter value={value} started={started} /> : <FormattedNumber value={value} />;
}
