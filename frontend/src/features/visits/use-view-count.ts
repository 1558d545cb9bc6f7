import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";

/** Counts a visit to the page of `whose`; gives the views with it. A visit that cannot be counted is none. */
export function useViewCount(whose: string, count: (whose: string) => Promise<{ views: number }>): number | undefined {
  const { mutate, data } = useMutation({ mutationFn: count });
  useEffect(() => mutate(whose), [whose, mutate]);
  return data?.views;
}
