import { createElement, Fragment } from "react";

/** Text with code between backticks. */
export function InlineText({ text }: { text: string }) {
  const parts = text.split("`").map((part, index) => (index % 2 === 1 ? createElement("code", null, part) : part));
  return createElement(Fragment, null, ...parts);
}
