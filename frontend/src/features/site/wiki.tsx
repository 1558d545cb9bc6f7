// Articles with a sidebar of sections and a search. The section is in the URL's hash. Used by the guides and the API
// documentation.
import { ChevronDown, ChevronLeft, ChevronRight, List } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import type { Outline, Section } from "../../lib/outline";
import { decoded, fold, splitMatch } from "../../lib/text";
import { Button } from "../../ui/button";
import { scrollBehavior } from "../../ui/reduced-motion";
import { MarkdownBody as Markdown } from "./markdown";
import css from "./wiki.module.css";

export interface WikiArticle extends Outline {
  slug: string;
}

const MIN_QUERY_LENGTH = 2;
const EXCERPT_MARGIN = 60;

interface Entry {
  article: WikiArticle;
  section: Section;
}

/** Suspends until the Markdown renderer is loaded: texts that appear one by one would shift the layout. */
export function Wiki({ label, articles }: { label: string; articles: readonly WikiArticle[] }) {
  const slug = decoded(useLocation().hash.slice(1));
  const entries = articles.flatMap((article) => article.sections.map((section) => ({ article, section })));
  const index = Math.max(
    0,
    entries.findIndex(({ section }) => section.slug === slug),
  );
  const current = entries[index];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run again when another article is rendered
  useEffect(() => {
    if (slug === "") return;
    document.getElementById(slug)?.scrollIntoView({ behavior: scrollBehavior(), block: "start" });
  }, [slug, current?.article.slug]);

  if (!current) return null;
  return (
    <div className={css.wiki}>
      <Sidebar label={label} slug={slug} articles={articles} entries={entries} current={current} />
      <article className={css.page}>
        <ArticleBody article={current.article} />
        <Steps entries={entries} index={index} />
      </article>
    </div>
  );
}

function useGoToSection(): (section: Section) => void {
  const navigate = useNavigate();
  return ({ slug }) => void navigate(`#${slug}`, { state: { keepScroll: true } });
}

interface ContentsProps {
  /** The wiki's name. */
  label: string;
  articles: readonly WikiArticle[];
  current: Entry;
}

/** The search and, unless it has results, the contents. On narrow screens the contents are behind a button. */
function Sidebar({ slug, entries, ...contents }: ContentsProps & { slug: string; entries: readonly Entry[] }) {
  const { label, current } = contents;
  const [isOpen, setOpen] = useState(false);
  const [isCollapsed, setCollapsed] = useState(false);
  const [query, setQuery] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation to another article closes the contents as well
  useEffect(() => {
    if (slug !== "") setOpen(false);
  }, [slug, current.article.slug]);
  const hits = search(entries, query);
  return (
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
      <Button className={css.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <List size={16} aria-hidden="true" />
        Contents
      </Button>
      {hits ? (
        <SearchResults hits={hits} query={query} onDone={() => setQuery("")} />
      ) : (
        <Contents {...contents} isOpen={isOpen} isCollapsed={isCollapsed} onCollapse={setCollapsed} />
      )}
    </aside>
  );
}

interface ContentsListProps extends ContentsProps {
  /** Applies to narrow screens only. */
  isOpen: boolean;
  /** The user has collapsed the current article. */
  isCollapsed: boolean;
  onCollapse: (isCollapsed: boolean) => void;
}

/** The articles, with the sections of the current one. */
function Contents({ label, articles, current, isOpen, isCollapsed, onCollapse }: ContentsListProps) {
  const goToSection = useGoToSection();
  const choose = (article: WikiArticle) => {
    if (article.slug === current.article.slug) return onCollapse(!isCollapsed);
    onCollapse(false);
    const first = article.sections[0];
    if (first) goToSection(first);
  };
  return (
    <nav aria-label={`Contents of ${label}`} data-open={isOpen} className={css.contents}>
      <ul role="list">
        {articles.map((article) => {
          const isExpanded = article.slug === current.article.slug && !isCollapsed;
          return (
            <li key={article.slug}>
              <button type="button" className={css.article} aria-expanded={isExpanded} onClick={() => choose(article)}>
                {article.title}
                <ChevronDown size={16} aria-hidden="true" />
              </button>
              {isExpanded && <SectionLinks sections={article.sections} current={current.section} />}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function SectionLinks({ sections, current }: { sections: readonly Section[]; current: Section }) {
  return (
    <ul role="list" className={css.sections}>
      {sections.map(({ slug, title }) => (
        <li key={slug}>
          <Link
            to={`#${slug}`}
            state={{ keepScroll: true }}
            aria-current={slug === current.slug ? "location" : undefined}
          >
            {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function ArticleBody({ article: { title, intro, sections } }: { article: WikiArticle }) {
  return (
    <>
      <header className={css.head}>
        <h2>{title}</h2>
        {intro && <Markdown text={intro} copyCode />}
      </header>
      {sections.map((section) => (
        <section key={section.slug} id={section.slug} aria-labelledby={`${section.slug}-title`} className={css.section}>
          <h3 id={`${section.slug}-title`}>{section.title}</h3>
          <Markdown text={section.text} copyCode />
        </section>
      ))}
    </>
  );
}

/** Links to the previous and the next section. */
function Steps({ entries, index }: { entries: readonly Entry[]; index: number }) {
  const goToSection = useGoToSection();
  const step = (by: number) => {
    const entry = entries[index + by];
    if (entry) goToSection(entry.section);
  };
  return (
    <nav aria-label="Sections" className={css.steps}>
      <Button disabled={index === 0} onClick={() => step(-1)}>
        <ChevronLeft size={16} aria-hidden="true" />
        Previous
      </Button>
      <span className="quiet">
        {entries[index]?.section.title}
        <span className="visually-hidden">, section</span> {index + 1} / {entries.length}
      </span>
      <Button disabled={index === entries.length - 1} onClick={() => step(1)}>
        Next
        <ChevronRight size={16} aria-hidden="true" />
      </Button>
    </nav>
  );
}

interface Hit extends Entry {
  /** The text around the match; empty if only the title matches. */
  excerpt: string;
}

/** Searches titles and texts of sections; null if the query is too short. */
function search(entries: readonly Entry[], query: string): Hit[] | null {
  const folded = fold(query.trim());
  if (folded.length < MIN_QUERY_LENGTH) return null;
  return entries.flatMap(({ article, section }) => {
    const text = section.text.replace(/[`*#|]/g, "").replace(/\s+/g, " ");
    const at = fold(text).indexOf(folded);
    if (at < 0 && !fold(section.title).includes(folded)) return [];
    const excerpt = at < 0 ? "" : text.slice(Math.max(0, at - EXCERPT_MARGIN), at + folded.length + EXCERPT_MARGIN);
    return [{ article, section, excerpt }];
  });
}

function SearchResults({ hits, query, onDone }: { hits: Hit[]; query: string; onDone: () => void }) {
  if (hits.length === 0) {
    return (
      <p role="status" className="quiet">
        Nothing found.
      </p>
    );
  }
  return (
    <ul role="list" aria-label="Found sections" className={css.found}>
      {hits.map(({ article, section, excerpt }) => {
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
