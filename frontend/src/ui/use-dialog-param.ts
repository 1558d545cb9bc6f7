import { useEffect } from "react";
import { useSearchParams } from "react-router";
import { toast } from "./toast";

/**
 * The open dialog of a page, stored in the URL as `?edit=…`. A dialog that the user may not open shows `problem` and is
 * removed; `problem` is undefined while unknown.
 */
export function useDialogParam<T extends string>(
  names: readonly T[],
  problem: string | null | undefined,
): [open: T | null, set: (name: T | null) => void] {
  const [params, setParams] = useSearchParams();
  const requested = names.find((name) => name === params.get("edit")) ?? null;
  const set = (name: T | null) =>
    setParams(
      (was) => {
        if (name) was.set("edit", name);
        else was.delete("edit");
        return was;
      },
      { replace: true, preventScrollReset: true, state: { keepScroll: true } },
    );
  const isRejected = requested !== null && typeof problem === "string";
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown once per rejected dialog
  useEffect(() => {
    if (!isRejected) return;
    toast({ tone: "error", title: "Not allowed", text: problem });
    set(null);
  }, [isRejected, problem]);
  return [problem === null ? requested : null, set];
}
