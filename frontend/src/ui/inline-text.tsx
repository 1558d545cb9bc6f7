import { createElement, Fragment } from "react";

/** Text with code between backticks. */
export function InlineText({ text }: { text: string }) {
  const pieces = text.split("`").map((piece, index) => (index % 2 === 1 ? createElement("code", null, piece) : piece));
  return createElement(Fragment, null, ...pieces);
}
