//! What the bot says, in eight languages; each language is one file of data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// A language the bot speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    En,
    De,
    Es,
    Fr,
    Pl,
    Ru,
    Uk,
    Zh,
}

static TRANSLATIONS: LazyLock<[BTreeMap<String, String>; 8]> = LazyLock::new(|| Language::ALL.map(read));

fn read(language: Language) -> BTreeMap<String, String> {
    let text = match language {
        Language::En => include_str!("en.json"),
        Language::De => include_str!("de.json"),
        Language::Es => include_str!("es.json"),
        Language::Fr => include_str!("fr.json"),
        Language::Pl => include_str!("pl.json"),
        Language::Ru => include_str!("ru.json"),
        Language::Uk => include_str!("uk.json"),
        Language::Zh => include_str!("zh.json"),
    };
    // The files are part of the program, and a test reads them all.
    serde_json::from_str(text).unwrap_or_default()
}

impl Language {
    pub const ALL: [Self; 8] = [Self::En, Self::De, Self::Es, Self::Fr, Self::Pl, Self::Ru, Self::Uk, Self::Zh];

    /// Takes a locale of Discord, such as `de` or `es-419`; English for those we do not speak.
    pub fn of_locale(locale: &str) -> Self {
        match locale.split('-').next().unwrap_or_default() {
            "de" => Self::De,
            "es" => Self::Es,
            "fr" => Self::Fr,
            "pl" => Self::Pl,
            "ru" => Self::Ru,
            "uk" => Self::Uk,
            "zh" => Self::Zh,
            _ => Self::En,
        }
    }

    /// Discord's own names of this language; none for English, which is what stands without a translation.
    pub fn locales(self) -> &'static [&'static str] {
        match self {
            Self::En => &[],
            Self::De => &["de"],
            Self::Es => &["es-ES", "es-419"],
            Self::Fr => &["fr"],
            Self::Pl => &["pl"],
            Self::Ru => &["ru"],
            Self::Uk => &["uk"],
            Self::Zh => &["zh-CN", "zh-TW"],
        }
    }

    /// The sentence of a key; nothing if there is none.
    pub fn text(self, key: &str) -> &'static str {
        let own = TRANSLATIONS.get(self as usize).and_then(|words| words.get(key));
        own.map_or_else(|| TRANSLATIONS[0].get(key).map_or("", String::as_str), String::as_str)
    }

    /// The same with its `{name}`s filled in.
    pub fn format(self, key: &str, values: &[(&str, &str)]) -> String {
        let mut rest = self.text(key);
        let mut out = String::with_capacity(rest.len() + 32);
        // In one pass, so that a value that looks like a blank stays a value.
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, tail)) = after.split_once('}') else { break };
            out.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
            rest = tail;
        }
        out.push_str(rest);
        out
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
    fn every_language_says_everything_with_the_same_blanks() {
        let english = read(Language::En);
        assert!(english.len() > 50);
        for language in Language::ALL {
            let own = read(language);
            assert_eq!(own.keys().collect::<Vec<_>>(), english.keys().collect::<Vec<_>>(), "{language:?}");
            for (key, text) in &own {
                assert_eq!(blanks(text), blanks(&english[key]), "{language:?} {key}");
                assert!(!text.trim().is_empty(), "{language:?} {key}");
            }
        }
    }

    #[test]
    fn a_value_that_looks_like_a_blank_stays_a_value() {
        let said = Language::En.format("killed", &[("killer", "{victim}"), ("victim", "Bob")]);
        assert_eq!(said, "**{victim}** killed **Bob**");
    }

    #[test]
    fn locales_of_discord_find_their_language() {
        for language in Language::ALL {
            for locale in language.locales() {
                assert_eq!(Language::of_locale(locale), language);
            }
        }
        assert_eq!(Language::of_locale("pt-BR"), Language::En);
    }
}
