import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { parseCount } from "../../lib/numbers";
import { ViewCount } from "../../ui/profile-header";

interface CountedViewsProps {
  whose: string;
  /** Counts a view and returns the new total. */
  count: (whose: string) => Promise<{ views: number }>;
  /** The profile's own figure, shown until the view is counted. */
  known: string | number | null | undefined;
}

/** The views of a profile, with this one. It is a component of its own, so that the answer does not render the profile again. */
export function CountedViews({ whose, count, known }: CountedViewsProps) {
  const { mutate, data } = useMutation({ mutationFn: count });
  useEffect(() => mutate(whose), [whose, mutate]);
  if (!data && known === undefined) return null;
  return <ViewCount views={data?.views ?? parseCount(known)} />;
}
