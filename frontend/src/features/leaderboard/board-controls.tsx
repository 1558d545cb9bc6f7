import type { BoardEvidence, BoardWindow } from "../../api/list-params";
import type { Metric } from "../../api/types";
import { Select } from "../../ui/select";
import css from "./board.module.css";
import { EVIDENCE_OPTIONS, SORT_OPTIONS, WINDOW_OPTIONS } from "./metrics";

interface BoardControlsProps {
  sortBy: Metric;
  window: BoardWindow;
  evidence: BoardEvidence;
  onSortBy: (value: Metric) => void;
  onWindow: (value: BoardWindow) => void;
  onEvidence: (value: BoardEvidence) => void;
  /** The label of the overall score, if it differs. */
  overallLabel?: string;
}

/** The selects of sort key, time window and evidence. Playtime has no confirmed part. */
export function BoardControls(props: BoardControlsProps) {
  const { sortBy, window, evidence, onSortBy, onWindow, onEvidence, overallLabel } = props;
  const sorts = SORT_OPTIONS.map(({ value, label }) => ({
    value,
    label: value === "overall" && overallLabel ? overallLabel : label,
  }));
  return (
    <div className={css.controls}>
      <Select label="Sort By" value={sortBy} options={sorts} onChange={onSortBy} />
      <Select label="Period" value={window} options={WINDOW_OPTIONS} onChange={onWindow} />
      <Select label="Evidence" value={evidence} options={EVIDENCE_OPTIONS} onChange={onEvidence} />
    </div>
  );
}
