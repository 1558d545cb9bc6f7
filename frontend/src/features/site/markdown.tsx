// Markdown as elements. The parser is a chunk of its own, which loads when markdown is drawn: this module is in a chunk that all
// pages share, so it must not start the load itself.
import { lazy, Suspense } from "react";
import { Skeleton } from "../../ui/states";
import type { MarkdownProps } from "./markdown-body";

/** For pages of many texts, which wait for the parser as a whole. */
export const MarkdownBody = lazy(() => import("./markdown-body"));

export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <MarkdownBody {...props} />
    </Suspense>
  );
}
