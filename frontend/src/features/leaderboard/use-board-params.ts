// The sort key and time window in the URL. Defaults are omitted; unknown values count as the default.
import { useSearchParams } from "react-router";
import type { Board } from "../../api/leaderboard";
import type { BoardWindow } from "../../api/list-params";
import { openingSort } from "../../api/opening";
import type { Metric } from "../../api/types";
import { SORT_OPTIONS, WINDOW_OPTIONS } from "./metrics";

/** The board that a URL's parameters name. */
export function boardOf(params: URLSearchParams): Board {
  return {
    sortBy: SORT_OPTIONS.find((sort) => sort.value === params.get("sort"))?.value ?? openingSort(),
    window: WINDOW_OPTIONS.find((option) => option.value === params.get("window"))?.value ?? "all",
  };
}

export function useBoardParams() {
  const [params, setParams] = useSearchParams();
  const { sortBy, window } = boardOf(params);
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
    setSortBy: (value: Metric) => set("sort", value, openingSort()),
    setWindow: (value: BoardWindow) => set("window", value, "all"),
  };
}
