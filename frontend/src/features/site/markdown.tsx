// Loads the Markdown renderer on demand. This module is in a shared chunk, so it must not start the load itself.
import { lazy, Suspense } from "react";
import { Skeleton } from "../../ui/states";
import type { MarkdownProps } from "./markdown-body";

/** For pages with several texts, which suspend until the renderer is loaded. */
export const MarkdownBody = lazy(() => import("./markdown-body"));

export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <MarkdownBody {...props} />
    </Suspense>
  );
}
