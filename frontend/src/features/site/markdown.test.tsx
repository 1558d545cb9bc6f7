import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import MarkdownBody from "./markdown-body";

const renderMarkdown = (text: string, copyCode = false) =>
  render(
    <MemoryRouter>
      <MarkdownBody text={text} copyCode={copyCode} />
    </MemoryRouter>,
  ).container;

const HOSTILE = [
  "<script>window.hit = 1</script>",
  '<img src=x onerror="window.hit = 1">',
  "<svg/onload=window.hit=1>",
  "[a](javascript:window.hit=1)",
  "[a](JaVaScRiPt:window.hit=1)",
  "[a](&#106;avascript:window.hit=1)",
  "[a](java%0ascript:window.hit=1)",
  "[a](data:text/html,<script>window.hit=1</script>)",
  "[a](vbscript:x)",
  "![a](javascript:window.hit=1)",
  "![a](https://evil.test/a.png)",
  "![a](//evil.test/a.png)",
  '<a href="javascript:window.hit=1">x</a>',
  "<iframe srcdoc='<script>window.hit=1</script>'></iframe>",
  "<math><mi//xlink:href='data:x,<script>window.hit=1</script>'>",
  "<style>*{display:none}</style>",
  "| a |\n| - |\n| <img src=x onerror=window.hit=1> |",
  "```\n</code></pre><script>window.hit=1</script>\n```",
  "<javascript:window.hit=1>",
  "[x]: javascript:window.hit=1\n\n[x]",
  "[^1]\n\n[^1]: <script>window.hit=1</script>",
  "<form action=//evil.test><input type=submit></form>",
];

test.each(HOSTILE)("hostile text remains plain text: %s", (text) => {
  const page = renderMarkdown(`# Title\n\n${text}\n`);
  expect(
    page.querySelector("script, iframe, svg:not([class*=lucide]), style, math, form, object, embed, base"),
  ).toBeNull();
  for (const element of page.querySelectorAll("*")) {
    for (const { name } of element.attributes) expect(name).not.toMatch(/^on/);
  }
  for (const link of page.querySelectorAll("a")) {
    expect(link.getAttribute("href")).not.toMatch(/^\s*(javascript|data|vbscript)/i);
    expect(link.protocol).not.toMatch(/javascript|data|vbscript/);
  }
  for (const picture of page.querySelectorAll("img")) expect(picture.getAttribute("src")).toMatch(/^\/(?!\/)/);
});

test("internal links use the router and external ones open a new tab", () => {
  renderMarkdown("[in](/link) [out](https://rsi.test/) [file](/api/openapi.json) [mail](mailto:a@b.test)");
  expect(screen.getByRole("link", { name: "in" })).toHaveAttribute("href", "/link");
  expect(screen.getByRole("link", { name: "out" })).toHaveAttribute("rel", "noopener noreferrer");
  expect(screen.getByRole("link", { name: "file" })).not.toHaveAttribute("target");
  expect(screen.getByRole("link", { name: "mail" })).toHaveAttribute("href", "mailto:a@b.test");
});

test("a click on inline code copies it and shows a check mark; code blocks are not buttons", async () => {
  const user = userEvent.setup();
  renderMarkdown("Use `/top`\n\n```\nblock\n```", true);
  await user.click(screen.getByRole("button", { name: /\/top/ }));
  expect(await screen.findByText("Copied")).toBeInTheDocument();
  expect(await navigator.clipboard.readText()).toBe("/top");
  expect(screen.getAllByRole("button")).toHaveLength(1);
});

test("a picture opens enlarged in a dialog", async () => {
  renderMarkdown("![The page](/pages/img/a.webp)");
  await userEvent.click(screen.getByRole("button", { name: "Enlarge: The page" }));
  expect(screen.getByRole("dialog", { name: "The page" })).toBeInTheDocument();
});
