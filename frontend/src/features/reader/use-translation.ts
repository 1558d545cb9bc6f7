// Texts of the reader in the selected language, received with its state.
import { createContext, useContext } from "react";

type Translate = (key: string, values?: Record<string, string | number>) => string;

const Translations = createContext<Record<string, string>>({});
export const TranslationsProvider = Translations.Provider;

/** Returns a function that formats the text of a key. */
export function useTranslation(): Translate {
  const texts = useContext(Translations);
  return (key, values = {}) =>
    (texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
