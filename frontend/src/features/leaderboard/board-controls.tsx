import type { BoardWindow } from "../../api/list-params";
import type { Metric } from "../../api/types";
import { Select } from "../../ui/select";
import css from "./board.module.css";
import { SORT_OPTIONS, WINDOW_OPTIONS } from "./metrics";

interface BoardControlsProps {
  sortBy: Metric;
  window: BoardWindow;
  onSortBy: (value: Metric) => void;
  onWindow: (value: BoardWindow) => void;
  /** The label of the overall score, if it differs. */
  overallLabel?: string;
}

/** The selects of sort key and time window. */
export function BoardControls({ sortBy, window, onSortBy, onWindow, overallLabel }: BoardControlsProps) {
  const sorts = SORT_OPTIONS.map(({ value, label }) => ({
    value,
    label: value === "overall" && overallLabel ? overallLabel : label,
  }));
  return (
    <div className={css.controls}>
      <Select label="Sort By" value={sortBy} options={sorts} onChange={onSortBy} />
      <Select label="Period" value={window} options={WINDOW_OPTIONS} onChange={onWindow} />
    </div>
  );
}
