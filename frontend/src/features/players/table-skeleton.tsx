import { Skeleton } from "../../ui/states";
import css from "./section.module.css";

/** A placeholder of a table that loads. */
export function TableSkeleton({ rows }: { rows: number }) {
  return (
    <div role="status" className={css.skeleton}>
      <span className="visually-hidden">Loading...</span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are equal
        <Skeleton key={index} height={28} />
      ))}
    </div>
  );
}
