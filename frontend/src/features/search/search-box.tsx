import { clsx } from "clsx";
import { Search, X } from "lucide-react";
import { type ComponentProps, type FormEvent, type KeyboardEvent, useEffect, useId, useRef } from "react";
import { useNavigate } from "react-router";
import { HEADER_SUGGESTION_LIMIT } from "../../api/search";
import type { SearchType } from "../../api/types";
import { guild, player } from "../../lib/paths";
import css from "./search-box.module.css";
import { pathOf, SuggestionList } from "./suggestion-list";
import { type Suggestions, useSuggestions } from "./use-suggestions";

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
export function SearchBox(props: SearchBoxProps) {
  const { placeholder, note, limit = HEADER_SUGGESTION_LIMIT, onDone, autoFocus, large, shortcut } = props;
  const navigate = useNavigate();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(limit);
  const { type, text, results, activeIndex, clear, close } = suggestions;
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, [autoFocus]);

  const goTo = (to: string) => {
    clear();
    close();
    input.current?.blur();
    navigate(to);
    onDone?.();
  };
  const empty = () => {
    clear();
    input.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const picked = results[activeIndex];
    const name = text.trim();
    if (picked) goTo(pathOf(picked));
    else if (name !== "") goTo(type === "player" ? player(name) : guild(name));
  };
  return (
    <div className={clsx(css.search, large && css.large)}>
      {/* biome-ignore lint/a11y/useSemanticElements: older browsers do not know the search element */}
      <form role="search" aria-label={large ? "Find a player or guild" : "Site"} onSubmit={submit}>
        <TypeSelect suggestions={suggestions} />
        <SearchInput
          ref={input}
          id={id}
          suggestions={suggestions}
          aria-describedby={note ? `${id}-note` : undefined}
          data-search-shortcut={shortcut || undefined}
          placeholder={typeof placeholder === "string" ? placeholder : placeholder[type]}
        />
        {text !== "" && (
          <button type="button" aria-label="Clear" onClick={empty}>
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
      <SuggestionList id={id} suggestions={suggestions} onPick={(result) => goTo(pathOf(result))} />
    </div>
  );
}

function TypeSelect({ suggestions: { type, setType } }: { suggestions: Suggestions }) {
  return (
    <select aria-label="Search for" value={type} onChange={(event) => setType(event.target.value as SearchType)}>
      <option value="player">Player</option>
      <option value="guild">Guild</option>
    </select>
  );
}

interface SearchInputProps extends ComponentProps<"input"> {
  id: string;
  suggestions: Suggestions;
}

/** The text field. The arrow keys move through the suggestions; Escape closes them, then leaves the field. */
function SearchInput({ id, suggestions, ...rest }: SearchInputProps) {
  const { text, setText, results, activeIndex, setActiveIndex, isListShown, open, close, closeSoon } = suggestions;
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (isListShown) close();
      else event.currentTarget.blur();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      open();
      const step = event.key === "ArrowDown" ? 1 : -1;
      // One position more than there are results: the text itself.
      const positions = results.length + 1;
      setActiveIndex(((activeIndex + 1 + step + positions) % positions) - 1);
    }
  };
  return (
    <input
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
      aria-activedescendant={isListShown && activeIndex >= 0 ? `${id}-${activeIndex}` : undefined}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onFocus={open}
      onBlur={closeSoon}
      {...rest}
    />
  );
}
