// Markdown as elements. The parser comes in a part of its own, asked for as soon as a page that shows markdown is.
import { lazy, Suspense } from "react";
import { Skeleton } from "../../ui/states";
import type { MarkdownProps } from "./markdown-body";

const body = import("./markdown-body");

/** For pages of many texts, which wait for the parser as a whole. */
export const Body = lazy(() => body);

export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <Body {...props} />
    </Suspense>
  );
}
