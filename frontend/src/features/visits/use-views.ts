import { useEffect, useState } from "react";

/** Counts a visit to the page of `whose`; gives the views with it. A visit that cannot be counted is none. */
export function useViews(whose: string, count: (whose: string) => Promise<{ views: number }>): number | undefined {
  const [views, setViews] = useState<number>();
  useEffect(() => {
    let gone = false;
    count(whose).then(
      (answer) => !gone && setViews(answer.views),
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [whose, count]);
  return views;
}
