// Renders Markdown as React elements. HTML in the text is shown literally, links only lead to web and mail addresses, and
// pictures only come from this site.
import Parsed from "markdown-to-jsx";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { Link } from "react-router";
import { isOwnPath } from "../../lib/outline";
import { ExternalLink } from "../../ui/button";
import { CopyCode } from "../../ui/copy-code";
import { ZoomImage } from "../../ui/zoom-image";
import css from "./markdown.module.css";

export interface MarkdownProps {
  text: string;
  /** A click on inline code copies it. */
  copyCode?: boolean;
}

type ChildrenProps = { children?: ReactNode };

/** Code blocks are not copied by a click. */
const CodeBlockContext = createContext(false);
const CopyCodeContext = createContext(false);

export default function MarkdownBody({ text, copyCode = false }: MarkdownProps) {
  // Memoized: the parser renders again for each new options object.
  const options = useMemo(
    () => ({
      disableParsingRawHTML: true,
      forceBlock: true,
      forceWrapper: true,
      wrapper: "div" as const,
      overrides: { a: Anchor, img: Picture, code: Code, pre: Pre, table: Table, input: () => null },
    }),
    [],
  );
  return (
    <CopyCodeContext value={copyCode}>
      <div className={css.text}>
        <Parsed options={options}>{text}</Parsed>
      </div>
    </CopyCodeContext>
  );
}

function Pre({ children }: ChildrenProps) {
  return (
    <CodeBlockContext value={true}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>{children}</pre>
    </CodeBlockContext>
  );
}

function Code({ children }: ChildrenProps) {
  const isBlock = useContext(CodeBlockContext);
  const copyCode = useContext(CopyCodeContext);
  if (isBlock || !copyCode || typeof children !== "string") return <code>{children}</code>;
  return <CopyCode text={children} />;
}

function Table({ children }: ChildrenProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <div className={css.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

function Picture({ src, alt }: { src?: string; alt?: string }) {
  return src && isOwnPath(src) ? <ZoomImage src={src} title={alt || "Picture"} /> : alt;
}

/** Paths of files on the server. Other paths are pages of this app. */
const FILES = /^\/(api|static|pages|uploads|og)\/|\.(json|xml|txt|md)$/;

function Anchor({ href = "", children }: ChildrenProps & { href?: string | null }) {
  const to = href ?? "";
  if (to.startsWith("#")) {
    return (
      <Link to={to} state={{ keepScroll: true }}>
        {children}
      </Link>
    );
  }
  if (isOwnPath(to)) return FILES.test(to) ? <a href={to}>{children}</a> : <Link to={to}>{children}</Link>;
  if (/^mailto:[^?]+$/i.test(to)) return <a href={to}>{children}</a>;
  if (/^https?:\/\//i.test(to)) return <ExternalLink href={to}>{children}</ExternalLink>;
  return children;
}
