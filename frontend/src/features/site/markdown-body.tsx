// Draws a markdown text as React elements, token by token. No markup of the text ever reaches the page: HTML in it is
// shown as the letters it is made of, links lead to web addresses only, and pictures come from this site alone.
import { lexer, type Token, type Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { Link } from "react-router";
import { isOwnPath } from "../../lib/outline";
import { unescapeEntities } from "../../lib/text";
import { ExternalLink } from "../../ui/button";
import { CopyCode } from "../../ui/copy-code";
import { ZoomImage } from "../../ui/zoom-image";
import css from "./markdown.module.css";

export interface MarkdownProps {
  text: string;
  /** Whether a click on code in a line copies it. */
  copyCode?: boolean;
}

export default function MarkdownBody({ text, copyCode = false }: MarkdownProps) {
  return <div className={css.text}>{many(lexer(text), copyCode)}</div>;
}

/** Children given one by one need no keys: the text never changes its order. */
const many = (tokens: Token[] | undefined, copyCode: boolean): ReactNode =>
  createElement(Fragment, null, ...(tokens ?? []).map((token) => one(token, copyCode)));

function one(token: Token, copyCode: boolean): ReactNode {
  const inside = () => many("tokens" in token ? token.tokens : undefined, copyCode);
  switch (token.type) {
    case "heading":
      return createElement(`h${Math.min(6, Math.max(1, (token as Tokens.Heading).depth))}`, null, inside());
    case "paragraph":
      return isPicture(token as Tokens.Paragraph) ? <figure>{inside()}</figure> : <p>{inside()}</p>;
    case "list": {
      const list = token as Tokens.List;
      const items = list.items.map((item) => <li key={item.raw}>{many(item.tokens, copyCode)}</li>);
      return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
    }
    case "blockquote":
      return <blockquote>{inside()}</blockquote>;
    case "table":
      return table(token as Tokens.Table, copyCode);
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keys
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "codespan": {
      const code = unescapeEntities((token as Tokens.Codespan).text);
      return copyCode ? <CopyCode text={code} /> : <code>{code}</code>;
    }
    case "strong":
      return <strong>{inside()}</strong>;
    case "em":
      return <em>{inside()}</em>;
    case "del":
      return <del>{inside()}</del>;
    case "link":
      return <Anchor href={(token as Tokens.Link).href}>{inside()}</Anchor>;
    case "image": {
      const { href, text } = token as Tokens.Image;
      return isOwnPath(href) ? <ZoomImage src={href} title={unescapeEntities(text)} /> : text;
    }
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "text":
      return (token as Tokens.Text).tokens ? inside() : unescapeEntities((token as Tokens.Text).text);
    default:
      // HTML and whatever else there may be: its letters.
      return "text" in token ? String(token.text) : token.raw;
  }
}

const isPicture = (token: Tokens.Paragraph) => token.tokens.length === 1 && token.tokens[0]?.type === "image";

function table({ header, rows }: Tokens.Table, copyCode: boolean) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keys
    <div className={css.table} tabIndex={0}>
      <table>
        <thead>
          {createElement(
            "tr",
            null,
            ...header.map((cell) => createElement("th", { scope: "col" }, many(cell.tokens, copyCode))),
          )}
        </thead>
        {createElement(
          "tbody",
          null,
          ...rows.map((row) =>
            createElement("tr", null, ...row.map((cell) => createElement("td", null, many(cell.tokens, copyCode)))),
          ),
        )}
      </table>
    </div>
  );
}

/** Files of the server lie below these; all other own paths are pages of this app. */
const FILES = /^\/(api|static|pages|uploads|og)\/|\.(json|xml|txt|md)$/;

function Anchor({ href, children }: { href: string; children: ReactNode }) {
  if (href.startsWith("#")) {
    return (
      <Link to={href} state={{ keepScroll: true }}>
        {children}
      </Link>
    );
  }
  if (isOwnPath(href)) return FILES.test(href) ? <a href={href}>{children}</a> : <Link to={href}>{children}</Link>;
  if (/^mailto:[^?]+$/i.test(href)) return <a href={href}>{children}</a>;
  if (/^https?:\/\//i.test(href)) return <ExternalLink href={href}>{children}</ExternalLink>;
  return children;
}
