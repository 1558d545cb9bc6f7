// The sort key, time window and evidence in the URL. Defaults are omitted; unknown values count as the default.
import { useSearchParams } from "react-router";
import type { BoardEvidence, BoardWindow } from "../../api/list-params";
import type { Metric } from "../../api/types";
import { EVIDENCE_OPTIONS, SORT_OPTIONS, WINDOW_OPTIONS } from "./metrics";

export function useBoardParams() {
  const [params, setParams] = useSearchParams();
  const sortBy = SORT_OPTIONS.find((sort) => sort.value === params.get("sort"))?.value ?? "overall";
  const window = WINDOW_OPTIONS.find((option) => option.value === params.get("window"))?.value ?? "all";
  const evidence = EVIDENCE_OPTIONS.find((option) => option.value === params.get("evidence"))?.value ?? "any";
  const set = (name: string, value: string, usual: string) =>
    setParams(
      (was) => {
        if (value === usual) was.delete(name);
        else was.set(name, value);
        return was;
      },
      { replace: true, preventScrollReset: true },
    );
  return {
    sortBy,
    window,
    evidence,
    setSortBy: (value: Metric) => set("sort", value, "overall"),
    setWindow: (value: BoardWindow) => set("window", value, "all"),
    setEvidence: (value: BoardEvidence) => set("evidence", value, "any"),
  };
}
