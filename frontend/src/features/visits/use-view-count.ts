import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";

/** Counts a view and returns the new total; undefined if that fails. */
export function useViewCount(whose: string, count: (whose: string) => Promise<{ views: number }>): number | undefined {
  const { mutate, data } = useMutation({ mutationFn: count });
  useEffect(() => mutate(whose), [whose, mutate]);
  return data?.views;
}
