import { Counter } from "./counter";
import { Figure } from "./figure";

const SHORT_FROM = 1_000;

/** A large figure. Below 1,000 its digits roll to a new value; from there on it has the short form, as figures have everywhere. */
export function RollingFigure({ value, started }: { value: number; started?: boolean }) {
  return value < SHORT_FROM ? <Counter value={value} started={started} /> : <Figure value={value} />;
}
