import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { MIN_QUERY_LENGTH, searchQuery } from "../../api/search";
import type { SearchResult, SearchType } from "../../api/types";

const DEBOUNCE_MS = 300;
const HIDE_DELAY_MS = 150;

/** The state of the search field and of the list of suggestions below it. */
export interface Suggestions {
  type: SearchType;
  setType: (type: SearchType) => void;
  text: string;
  setText: (text: string) => void;
  results: readonly SearchResult[];
  hasNoResults: boolean;
  /** The index of the highlighted result; -1 for the text. */
  activeIndex: number;
  setActiveIndex: (index: number) => void;
  isListShown: boolean;
  open: () => void;
  close: () => void;
  /** Closes the list after the field has lost the focus. */
  closeSoon: () => void;
  /** Empties the field. */
  clear: () => void;
}

export function useSuggestions(limit: number): Suggestions {
  const [type, setType] = useState<SearchType>("player");
  const [text, setText] = useState("");
  const [debouncedText, setDebouncedText] = useDebounced(text);
  const [activeIndex, setActiveIndex] = useState(-1);
  const { isOpen, ...visibility } = useVisibility();
  const { data, isFetched, isLoadingError } = useQuery({
    ...searchQuery(type, debouncedText, limit),
    throwOnError: false,
  });
  const isSearchable = text.trim().length >= MIN_QUERY_LENGTH && debouncedText.length >= MIN_QUERY_LENGTH;
  const results = isSearchable ? (data ?? []) : [];
  const hasNoResults =
    isSearchable && results.length === 0 && debouncedText === text.trim() && (isFetched || isLoadingError);
  const clear = () => {
    setText("");
    setDebouncedText("");
    setActiveIndex(-1);
  };
  return {
    ...{ type, text, results, hasNoResults, activeIndex, setActiveIndex, clear, ...visibility },
    isListShown: isOpen && (results.length > 0 || hasNoResults),
    setType: (to) => {
      setType(to);
      clear();
    },
    setText: (to) => {
      setText(to);
      setActiveIndex(-1);
      visibility.open();
    },
  };
}

/** Returns the trimmed text after it has not changed for `DEBOUNCE_MS`, and a function that sets it immediately. */
function useDebounced(text: string): [string, (text: string) => void] {
  const [debounced, setDebounced] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [debounced, setDebounced];
}

function useVisibility() {
  const [isOpen, setOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isOpen,
    open: () => {
      clearTimeout(timer.current);
      setOpen(true);
    },
    close: () => setOpen(false),
    closeSoon: () => {
      timer.current = setTimeout(() => setOpen(false), HIDE_DELAY_MS);
    },
  };
}
