//! The feed's words in eight languages; each language is one file of data.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

/// A language the reader speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    #[default]
    English,
    German,
    Spanish,
    French,
    Polish,
    Russian,
    Ukrainian,
    Chinese,
}

impl Language {
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Polish,
        Self::Russian,
        Self::Ukrainian,
        Self::Chinese,
    ];

    /// The code that `--language` takes, and the language's own name.
    pub fn code_and_name(self) -> (&'static str, &'static str) {
        match self {
            Self::English => ("en", "English"),
            Self::German => ("de", "Deutsch"),
            Self::Spanish => ("es", "Español"),
            Self::French => ("fr", "Français"),
            Self::Polish => ("pl", "Polski"),
            Self::Russian => ("ru", "Русский"),
            Self::Ukrainian => ("uk", "Українська"),
            Self::Chinese => ("zh", "简体中文"),
        }
    }

    /// The language of this machine, where it says one that the reader speaks.
    pub fn of_system() -> Option<Self> {
        sys_locale::get_locales().find_map(|locale| locale.parse().ok())
    }

    fn file(self) -> &'static str {
        match self {
            Self::English => include_str!("words/en.json"),
            Self::German => include_str!("words/de.json"),
            Self::Spanish => include_str!("words/es.json"),
            Self::French => include_str!("words/fr.json"),
            Self::Polish => include_str!("words/pl.json"),
            Self::Russian => include_str!("words/ru.json"),
            Self::Ukrainian => include_str!("words/uk.json"),
            Self::Chinese => include_str!("words/zh.json"),
        }
    }
}

/// A code that names no language of the reader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid language '{0}': expected en, de, es, fr, pl, ru, uk, or zh")]
pub struct LanguageError(String);

impl FromStr for Language {
    type Err = LanguageError;
    /// Takes `de` as well as `de-AT` or `de_AT.UTF-8`.
    fn from_str(text: &str) -> Result<Self, LanguageError> {
        let code = text.split(['-', '_', '.']).next().unwrap_or_default().to_ascii_lowercase();
        let found = Self::ALL.into_iter().find(|language| language.code_and_name().0 == code);
        found.ok_or_else(|| LanguageError(text.to_owned()))
    }
}

/// The sentences of one language, by key.
#[derive(Clone)]
pub struct Words(Arc<BTreeMap<String, String>>);

impl Words {
    pub fn of(language: Language) -> Self {
        static READ: [OnceLock<Words>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];
        // The files are part of the program, and a test reads them all.
        let read = || Self(Arc::new(serde_json::from_str(language.file()).unwrap_or_default()));
        READ.get(language as usize).map_or_else(read, |known| known.get_or_init(read).clone())
    }

    /// The sentence of a key with its `{name}`s filled in; the key itself if there is none.
    pub fn say(&self, key: &str, values: &[(&str, &str)]) -> String {
        let mut text = self.0.get(key).cloned().unwrap_or_else(|| key.to_owned());
        for (name, value) in values {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }

    /// All sentences, for a page that speaks the same language.
    pub fn all(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanks(text: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|p| p.0).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn every_language_has_all_keys_and_placeholders() {
        let english: BTreeMap<String, String> = serde_json::from_str(Language::English.file()).unwrap();
        for language in Language::ALL {
            let own: BTreeMap<String, String> = serde_json::from_str(language.file()).unwrap();
            assert_eq!(own.keys().collect::<Vec<_>>(), english.keys().collect::<Vec<_>>(), "{language:?}");
            for (key, text) in &own {
                assert_eq!(blanks(text), blanks(&english[key]), "{language:?} {key}");
                assert!(!text.trim().is_empty(), "{language:?} {key}");
            }
        }
    }

    #[test]
    fn languages_are_parsed_from_locale_names() {
        assert_eq!("uk_UA.UTF-8".parse(), Ok(Language::Ukrainian));
        assert_eq!("zh-CN".parse(), Ok(Language::Chinese));
        assert!("xx".parse::<Language>().is_err());
    }
}
