//! Texts of the bot and the log reader in eight languages, the choice of a language, and the form of numbers.
//!
//! `locales/{language}` holds one JSON file per section, from keys to texts in the format of [`message`].

mod message;

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::LazyLock;

use icu_locale_core::Locale;
use icu_plurals::PluralRules;
use message::Message;
use serde::{Deserialize, Serialize};

/// A supported language.
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

/// The texts of a language.
struct Catalogue {
    bot: Texts,
    reader: Texts,
}

/// The texts of one section in one language, by key.
pub struct Texts {
    rules: PluralRules,
    by_key: BTreeMap<String, Text>,
}

struct Text {
    source: String,
    message: Message,
}

macro_rules! catalogue {
    ($language:ident, $code:literal) => {
        LazyLock::new(|| Catalogue {
            bot: embedded(Language::$language, include_str!(concat!("../../../locales/", $code, "/bot.json"))),
            reader: embedded(Language::$language, include_str!(concat!("../../../locales/", $code, "/reader.json"))),
        })
    };
}

/// The catalogues in the order of [`Language::ALL`].
static CATALOGUES: [LazyLock<Catalogue>; Language::ALL.len()] = [
    catalogue!(En, "en"),
    catalogue!(De, "de"),
    catalogue!(Es, "es"),
    catalogue!(Fr, "fr"),
    catalogue!(Pl, "pl"),
    catalogue!(Ru, "ru"),
    catalogue!(Uk, "uk"),
    catalogue!(Zh, "zh"),
];

/// Reads an embedded file.
fn embedded(language: Language, json: &str) -> Texts {
    Texts::parse(language, json).unwrap_or_else(|error| panic!("an embedded text is invalid: {error}"))
}

impl Language {
    pub const ALL: [Self; 8] = [Self::En, Self::De, Self::Es, Self::Fr, Self::Pl, Self::Ru, Self::Uk, Self::Zh];

    /// The code, as used by `--language`.
    pub fn code(self) -> &'static str {
        self.code_and_name().0
    }

    /// The code and the language's own name.
    pub fn code_and_name(self) -> (&'static str, &'static str) {
        match self {
            Self::En => ("en", "English"),
            Self::De => ("de", "Deutsch"),
            Self::Es => ("es", "Español"),
            Self::Fr => ("fr", "Français"),
            Self::Pl => ("pl", "Polski"),
            Self::Ru => ("ru", "Русский"),
            Self::Uk => ("uk", "Українська"),
            Self::Zh => ("zh", "简体中文"),
        }
    }

    /// The system's language, if it is supported.
    pub fn of_system() -> Option<Self> {
        sys_locale::get_locales().find_map(|locale| locale.parse().ok())
    }

    /// The language of a locale such as `de` or `es-419`, or English if it is not supported.
    pub fn of_locale(locale: &str) -> Self {
        locale.parse().unwrap_or_default()
    }

    /// Discord's locales of this language. Empty for English, Discord's default.
    pub fn discord_locales(self) -> &'static [&'static str] {
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

    /// The CLDR's rules for cardinal numbers.
    fn plural_rules(self) -> PluralRules {
        let locale: Locale = self.code().parse().expect("a code is a valid locale");
        PluralRules::try_new_cardinal(locale.into()).expect("the rules of every language are compiled in")
    }

    /// The texts of the bot.
    pub fn bot(self) -> &'static Texts {
        &self.catalogue().bot
    }

    /// The texts of the log reader.
    pub fn reader(self) -> &'static Texts {
        &self.catalogue().reader
    }

    fn catalogue(self) -> &'static Catalogue {
        &CATALOGUES[self as usize]
    }
}

/// An unsupported language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid language '{0}': expected en, de, es, fr, pl, ru, uk, or zh")]
pub struct LanguageError(String);

impl FromStr for Language {
    type Err = LanguageError;

    /// Parses a code or locale: `de`, `de-AT`, `de_AT.UTF-8`.
    fn from_str(text: &str) -> Result<Self, LanguageError> {
        let code = text.split(['-', '_', '.']).next().unwrap_or_default().to_ascii_lowercase();
        let found = Self::ALL.into_iter().find(|language| language.code() == code);
        found.ok_or_else(|| LanguageError(text.to_owned()))
    }
}

impl Texts {
    fn parse(language: Language, json: &str) -> Result<Self, String> {
        let sources: BTreeMap<String, String> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let parse = |(key, source): (String, String)| match Message::parse(&source) {
            Ok(message) => Ok((key, Text { source, message })),
            Err(error) => Err(format!("{key}: {error}")),
        };
        Ok(Self {
            rules: language.plural_rules(),
            by_key: sources.into_iter().map(parse).collect::<Result<_, String>>()?,
        })
    }

    /// The text of a key without placeholders, empty for an unknown key.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).map_or("", |text| text.source.as_str())
    }

    /// The text of a key with its placeholders replaced.
    pub fn format(&self, key: &str, values: &[(&str, &str)]) -> String {
        let Some(text) = self.get(key) else { return String::new() };
        let mut out = String::with_capacity(text.source.len() + 32);
        text.message.format_into(&mut out, &self.rules, values);
        out
    }

    /// All texts with their placeholders, for a page that formats them.
    pub fn sources(&self) -> BTreeMap<&str, &str> {
        self.by_key.iter().map(|(key, text)| (key.as_str(), text.source.as_str())).collect()
    }

    fn get(&self, key: &str) -> Option<&Text> {
        let text = self.by_key.get(key);
        debug_assert!(text.is_some(), "no text has the key {key}");
        text
    }
}

/// Formats a number as `12,345`.
pub fn format_number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    format!("{}{}", if value < 0 { "-" } else { "" }, groups.join(","))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ferrocat_icu::{IcuCompatibilityOptions, IcuDiagnostic, analyze_icu, compare_icu_messages};
    use icu_plurals::PluralCategory;

    use super::*;

    const SECTIONS: [&str; 2] = ["bot", "reader"];

    fn read(section: &str, language: Language) -> Texts {
        let path = format!("{}/../../locales/{}/{section}.json", env!("CARGO_MANIFEST_DIR"), language.code());
        Texts::parse(language, &std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{language:?} {e}"))
    }

    #[test]
    fn every_language_has_all_keys_placeholders_and_plural_forms() {
        for section in SECTIONS {
            let english = read(section, Language::En);
            assert!(english.by_key.len() > 50);
            for language in Language::ALL {
                let own = read(section, language);
                assert!(own.by_key.keys().eq(english.by_key.keys()), "{language:?} {section}");
                let required: BTreeSet<PluralCategory> = own.rules.categories().collect();
                for (key, text) in &own.by_key {
                    let place = format!("{language:?} {section} {key}");
                    let (source, message) = (english.by_key[key].message.to_icu(), text.message.to_icu());
                    let report = compare_icu_messages(&source, &message, &IcuCompatibilityOptions::default());
                    // Plural forms differ between languages.
                    let differs = |found: &&IcuDiagnostic| !found.code.as_str().ends_with("_plural_selector");
                    assert_eq!(report.diagnostics.iter().find(differs), None, "{place}");
                    for plural in analyze_icu(&message).plurals {
                        let category = |form: &String| PluralCategory::get_for_cldr_string(form);
                        let forms: BTreeSet<_> = plural.selectors.iter().filter_map(category).collect();
                        assert_eq!(forms, required, "{place}");
                    }
                    assert!(!text.source.trim().is_empty(), "{place}");
                }
            }
        }
    }

    #[test]
    fn every_embedded_catalogue_is_the_one_of_its_language() {
        for (at, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language as usize, at);
            assert_eq!(language.bot().sources(), read("bot", language).sources());
            assert_eq!(language.reader().sources(), read("reader", language).sources());
            let categories: Vec<PluralCategory> = language.reader().rules.categories().collect();
            assert_eq!(categories, language.plural_rules().categories().collect::<Vec<_>>());
        }
    }

    /// The reader's page replaces `{name}` in these texts and does not select plural forms.
    #[test]
    fn texts_that_the_page_formats_have_no_plurals() {
        for language in Language::ALL {
            for (key, text) in &language.reader().by_key {
                let is_of_page = ["p_", "t_"].iter().any(|prefix| key.starts_with(prefix)) || key == "waits";
                assert!(!is_of_page || !ferrocat_icu::has_plural(&text.message.to_icu()), "{language:?} {key}");
            }
        }
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(format_number(0), "0");
        assert_eq!(format_number(1_234_567), "1,234,567");
        assert_eq!(format_number(-999), "-999");
    }

    #[test]
    fn languages_are_parsed_from_locale_names() {
        assert_eq!("uk_UA.UTF-8".parse(), Ok(Language::Uk));
        assert_eq!("zh-CN".parse(), Ok(Language::Zh));
        assert!("xx".parse::<Language>().is_err());
        for language in Language::ALL {
            for locale in language.discord_locales() {
                assert_eq!(Language::of_locale(locale), language);
            }
        }
        assert_eq!(Language::of_locale("pt-BR"), Language::En);
    }
}
