import { Counter } from "./counter";
import { FormattedNumber } from "./formatted-number";

const ABBREVIATE_FROM = 1_000;

/** A large figure. Below 1,000 its digits roll to a new value; from there on it has the short form, as figures have everywhere. */
export function RollingNumber({ value, started }: { value: number; started?: boolean }) {
  return value < ABBREVIATE_FROM ? <Counter value={value} started={started} /> : <FormattedNumber value={value} />;
}
