import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Search, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { HEADER_SUGGESTION_LIMIT, MIN_QUERY_LENGTH, searchQuery } from "../../api/search";
import type { SearchResult, SearchType } from "../../api/types";
import { guild, player } from "../../lib/paths";
import { splitMatch, unescapeEntities } from "../../lib/text";
import css from "./search-box.module.css";

const DEBOUNCE_MS = 300;
const HIDE_DELAY_MS = 150;

interface SearchBoxProps {
  placeholder: string | Record<SearchType, string>;
  /** A note below the field, by type. */
  note?: Record<SearchType, string>;
  limit?: number;
  /** Called after a selection, so that a surrounding menu can close. */
  onDone?: () => void;
  autoFocus?: boolean;
  large?: boolean;
  /** The key `/` focuses this field. */
  shortcut?: boolean;
}

/** The search field with its type, suggestions and keyboard support. */
export function SearchBox({
  placeholder,
  note,
  limit = HEADER_SUGGESTION_LIMIT,
  onDone,
  autoFocus,
  large,
  shortcut,
}: SearchBoxProps) {
  const navigate = useNavigate();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const hideTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [type, setType] = useState<SearchType>("player");
  const [text, setText] = useState("");
  const [debouncedText, setDebouncedText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [activeIndex, setActiveIndex] = useState(-1);
  const { data, isFetched, isLoadingError } = useQuery({
    ...searchQuery(type, debouncedText, limit),
    throwOnError: false,
  });

  useEffect(() => {
    const timer = setTimeout(() => setDebouncedText(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => () => clearTimeout(hideTimer.current), []);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, [autoFocus]);

  const isSearchable = text.trim().length >= MIN_QUERY_LENGTH && debouncedText.length >= MIN_QUERY_LENGTH;
  const results = isSearchable ? (data ?? []) : [];
  const hasNoResults =
    isSearchable && results.length === 0 && debouncedText === text.trim() && (isFetched || isLoadingError);
  const isListShown = isOpen && (results.length > 0 || hasNoResults);

  const clear = () => {
    setText("");
    setDebouncedText("");
    setActiveIndex(-1);
  };
  const goTo = (to: string) => {
    clear();
    setOpen(false);
    input.current?.blur();
    navigate(to);
    onDone?.();
  };
  const submit = () => {
    const picked = results[activeIndex];
    if (picked) goTo(pathOf(picked));
    else if (text.trim() !== "") goTo(type === "player" ? player(text.trim()) : guild(text.trim()));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (isListShown) setOpen(false);
      else input.current?.blur();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      // One position more than there are results: the text itself.
      const places = results.length + 1;
      setActiveIndex((was) => ((was + 1 + step + places) % places) - 1);
    }
  };
  return (
    <div className={clsx(css.search, large && css.large)}>
      {/* biome-ignore lint/a11y/useSemanticElements: older browsers do not know the search element */}
      <form
        role="search"
        aria-label={large ? "Find a player or guild" : "Site"}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <select
          aria-label="Search for"
          value={type}
          onChange={(event) => {
            setType(event.target.value as SearchType);
            clear();
          }}
        >
          <option value="player">Player</option>
          <option value="guild">Guild</option>
        </select>
        <input
          ref={input}
          type="text"
          inputMode="search"
          enterKeyHint="search"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          role="combobox"
          aria-label="Search"
          aria-expanded={isListShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-describedby={note ? `${id}-note` : undefined}
          aria-activedescendant={isListShown && activeIndex >= 0 ? `${id}-${activeIndex}` : undefined}
          data-search-shortcut={shortcut || undefined}
          placeholder={typeof placeholder === "string" ? placeholder : placeholder[type]}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActiveIndex(-1);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
          onFocus={() => {
            clearTimeout(hideTimer.current);
            setOpen(true);
          }}
          onBlur={() => {
            hideTimer.current = setTimeout(() => setOpen(false), HIDE_DELAY_MS);
          }}
        />
        {text !== "" && (
          <button
            type="button"
            aria-label="Clear"
            onClick={() => {
              clear();
              input.current?.focus();
            }}
          >
            <X size={16} aria-hidden="true" />
          </button>
        )}
        <button type="submit" aria-label="Search">
          <Search size={16} aria-hidden="true" />
        </button>
      </form>
      {note && (
        <p id={`${id}-note`} className={css.note}>
          {note[type]}
        </p>
      )}
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
              onClick={() => goTo(pathOf(result))}
            >
              <Suggestion result={result} query={text} />
            </div>
          ))}
        </div>
        {hasNoResults && (
          <p role="status">
            No {type}s found for “{text.trim()}”
          </p>
        )}
      </div>
    </div>
  );
}

function pathOf(result: SearchResult): string {
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
      <span className={css.tag}>{(result.orgs ?? []).join(" ")}</span>
    </>
  );
}

function Highlighted({ text, query }: { text: string; query: string }) {
  const [before, match, after] = splitMatch(text, query);
  return (
    <bdi>
      {before}
      {match && <mark>{match}</mark>}
      {after}
    </bdi>
  );
}
