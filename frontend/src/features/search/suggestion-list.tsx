import type { SearchResult } from "../../api/types";
import { guild, player } from "../../lib/paths";
import { splitMatch, unescapeEntities } from "../../lib/text";
import { Name } from "../../ui/name";
import css from "./search-box.module.css";
import type { Suggestions } from "./use-suggestions";

interface SuggestionListProps {
  /** The ids of the list and its options start with it. */
  id: string;
  suggestions: Suggestions;
  onPick: (result: SearchResult) => void;
}

export function SuggestionList({ id, suggestions, onPick }: SuggestionListProps) {
  const { type, text, results, hasNoResults, activeIndex, setActiveIndex, isListShown } = suggestions;
  return (
    <div className={css.list} hidden={!isListShown}>
      <div id={`${id}-list`} role="listbox" aria-label="Suggestions">
        {results.map((result, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the arrow keys and Enter
          <div
            key={pathOf(result)}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === activeIndex}
            onPointerDown={(event) => event.preventDefault()}
            onPointerMove={() => setActiveIndex(index)}
            onClick={() => onPick(result)}
          >
            <Suggestion result={result} query={text} />
          </div>
        ))}
      </div>
      {hasNoResults && (
        <p role="status">
          No {type}s found for “<Name>{text.trim()}</Name>”
        </p>
      )}
    </div>
  );
}

export function pathOf(result: SearchResult): string {
  return result.type === "guild" ? guild(result.short || result.name || "") : player(result.handle ?? "");
}

function Suggestion({ result, query }: { result: SearchResult; query: string }) {
  if (result.type === "guild") {
    return (
      <>
        <Highlighted text={unescapeEntities(result.name ?? "")} query={query} />
        <span className={css.tag}>
          <Highlighted text={result.short ?? ""} query={query} />
        </span>
      </>
    );
  }
  return (
    <>
      <Highlighted text={result.handle ?? ""} query={query} />
      <Name className={css.tag}>{(result.orgs ?? []).join(" ")}</Name>
    </>
  );
}

function Highlighted({ text, query }: { text: string; query: string }) {
  const [before, match, after] = splitMatch(text, query);
  return (
    <Name>
      {before}
      {match && <mark>{match}</mark>}
      {after}
    </Name>
  );
}
