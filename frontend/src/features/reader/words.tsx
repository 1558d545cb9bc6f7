// The reader's own words, in the language its user has chosen. They come with the page; nothing here is written out.
import { createContext, useContext } from "react";

export type Say = (key: string, values?: Record<string, string | number>) => string;

const Words = createContext<Record<string, string>>({});
export const WordsProvider = Words.Provider;

/** Gives the sentence of a key with its blanks filled in. */
export function useWords(): Say {
  const words = useContext(Words);
  return (key, values = {}) =>
    Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, String(value)), words[key] ?? key);
}
