// Articles with a sidebar of sections and a search. The section is in the URL's hash. Used by the guides and the API
// documentation.
import { ChevronDown, ChevronLeft, ChevronRight, List } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import type { Outline, Section } from "../../lib/outline";
import { decoded, fold, splitMatch } from "../../lib/text";
import { Button } from "../../ui/button";
import { MarkdownBody as Markdown } from "./markdown";
import css from "./wiki.module.css";

export interface WikiArticle extends Outline {
  slug: string;
  /** Rendered below the section with this slug. */
  after?: Record<string, ReactNode>;
}

const MIN_QUERY_LENGTH = 2;
const EXCERPT_MARGIN = 60;

/** Suspends until the Markdown renderer is loaded: texts that appear one by one would shift the layout. */
export function Wiki({ label, articles }: { label: string; articles: readonly WikiArticle[] }) {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const wanted = decoded(hash.slice(1));
  const all = articles.flatMap((article) => article.sections.map((section) => ({ article, section })));
  const at = Math.max(
    0,
    all.findIndex(({ section }) => section.slug === wanted),
  );
  const open = all[at]?.article;
  const section = all[at]?.section;
  const [isCollapsed, setCollapsed] = useState(false);
  const [contents, setContents] = useState(false);
  const [query, setQuery] = useState("");
  const goToSection = (slug: string) => navigate(`#${slug}`, { state: { keepScroll: true } });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run again when another article is rendered
  useEffect(() => {
    if (wanted === "") return;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    document.getElementById(wanted)?.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
    setContents(false);
  }, [wanted, open?.slug]);

  if (!open || !section) return null;
  const choose = (article: WikiArticle) => {
    if (article.slug === open.slug) return setCollapsed(!isCollapsed);
    setCollapsed(false);
    const first = article.sections[0];
    if (first) void goToSection(first.slug);
  };
  const found = search(all, query);
  const step = (by: number) => {
    const to = all[at + by];
    if (to) void goToSection(to.section.slug);
  };
  return (
    <div className={css.wiki}>
      <aside className={css.side}>
        <label className={css.search}>
          <span className="visually-hidden">Search {label}</span>
          <input
            type="search"
            placeholder={`Search ${label}`}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && setQuery("")}
          />
        </label>
        <Button className={css.toggle} aria-expanded={contents} onClick={() => setContents(!contents)}>
          <List size={16} aria-hidden="true" />
          Contents
        </Button>
        {found ? (
          <SearchResults found={found} query={query} onDone={() => setQuery("")} />
        ) : (
          <nav aria-label={`Contents of ${label}`} data-open={contents} className={css.contents}>
            <ul role="list">
              {articles.map((article) => {
                const expanded = article.slug === open.slug && !isCollapsed;
                return (
                  <li key={article.slug}>
                    <button
                      type="button"
                      className={css.article}
                      aria-expanded={expanded}
                      onClick={() => choose(article)}
                    >
                      {article.title}
                      <ChevronDown size={16} aria-hidden="true" />
                    </button>
                    {expanded && (
                      <ul role="list" className={css.sections}>
                        {article.sections.map((one) => (
                          <li key={one.slug}>
                            <Link
                              to={`#${one.slug}`}
                              state={{ keepScroll: true }}
                              aria-current={one.slug === section.slug ? "location" : undefined}
                            >
                              {one.title}
                            </Link>
                          </li>
                        ))}
                      </ul>
                    )}
                  </li>
                );
              })}
            </ul>
          </nav>
        )}
      </aside>
      <article className={css.page}>
        <header className={css.head}>
          <h2>{open.title}</h2>
          {open.intro && <Markdown text={open.intro} copyCode />}
        </header>
        {open.sections.map((one) => (
          <section key={one.slug} id={one.slug} aria-labelledby={`${one.slug}-title`} className={css.section}>
            <h3 id={`${one.slug}-title`}>{one.title}</h3>
            <Markdown text={one.text} copyCode />
            {open.after?.[one.slug]}
          </section>
        ))}
        <nav aria-label="Sections" className={css.steps}>
          <Button disabled={at === 0} onClick={() => step(-1)}>
            <ChevronLeft size={16} aria-hidden="true" />
            Previous
          </Button>
          <span className="quiet">
            {section.title}
            <span className="visually-hidden">, section</span> {at + 1} / {all.length}
          </span>
          <Button disabled={at === all.length - 1} onClick={() => step(1)}>
            Next
            <ChevronRight size={16} aria-hidden="true" />
          </Button>
        </nav>
      </article>
    </div>
  );
}

interface Hit {
  article: WikiArticle;
  section: Section;
  /** The text around the match; empty if only the title matches. */
  excerpt: string;
}

function search(all: readonly { article: WikiArticle; section: Section }[], query: string): Hit[] | null {
  const wanted = fold(query.trim());
  if (wanted.length < MIN_QUERY_LENGTH) return null;
  return all.flatMap(({ article, section }) => {
    const text = section.text.replace(/[`*#|]/g, "").replace(/\s+/g, " ");
    const at = fold(text).indexOf(wanted);
    if (at < 0 && !fold(section.title).includes(wanted)) return [];
    const excerpt = at < 0 ? "" : text.slice(Math.max(0, at - EXCERPT_MARGIN), at + wanted.length + EXCERPT_MARGIN);
    return [{ article, section, excerpt }];
  });
}

function SearchResults({ found, query, onDone }: { found: Hit[]; query: string; onDone: () => void }) {
  if (found.length === 0) {
    return (
      <p role="status" className="quiet">
        Nothing found.
      </p>
    );
  }
  return (
    <ul role="list" aria-label="Found sections" className={css.found}>
      {found.map(({ article, section, excerpt }) => {
        const [before, match, after] = splitMatch(excerpt, query);
        return (
          <li key={`${article.slug} ${section.slug}`}>
            <Link to={`#${section.slug}`} state={{ keepScroll: true }} onClick={onDone}>
              {section.title}
            </Link>
            {excerpt && (
              <p className="quiet">
                …{before}
                <mark>{match}</mark>
                {after}…
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
