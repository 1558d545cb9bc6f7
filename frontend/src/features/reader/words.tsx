// The reader's texts in the selected language, received with its state.
import { createContext, useContext } from "react";

export type Say = (key: string, values?: Record<string, string | number>) => string;

const Words = createContext<Record<string, string>>({});
export const WordsProvider = Words.Provider;

/** Returns a function that formats the text of a key. */
export function useWords(): Say {
  const words = useContext(Words);
  return (key, values = {}) =>
    Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, String(value)), words[key] ?? key);
}
