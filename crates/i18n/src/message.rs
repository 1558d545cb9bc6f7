//! Rendering of ICU MessageFormat: values `{name}` and cardinal plurals. `ferrocat-icu` parses, `icu_plurals` has the rules of the
//! Unicode CLDR.

use ferrocat_icu::{IcuNode, IcuOption, IcuParseError, IcuParserOptions, IcuPluralKind, parse_icu_with_options};
use icu_plurals::{PluralCategory, PluralRules};

/// A parsed text: `{name}` is replaced by a value, `{name, plural, one {# event} other {# events}}` selects a form by a number,
/// and `#` in a form is that number. Apostrophes and angle brackets are ordinary characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message(Vec<IcuNode>);

/// An invalid text.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MessageError {
    #[error("invalid message '{text}': {}", error.message)]
    Syntax { text: String, error: IcuParseError },
    #[error("invalid message '{0}': expected {{name}} or {{name, plural, one {{…}} other {{…}}}}")]
    Unsupported(String),
}

impl Message {
    pub(super) fn parse(text: &str) -> Result<Self, MessageError> {
        let options = IcuParserOptions::default().with_ignore_tag(true);
        // MessageFormat quotes with apostrophes; a doubled one is an ordinary apostrophe.
        let message = parse_icu_with_options(&text.replace('\'', "''"), &options)
            .map_err(|error| MessageError::Syntax { text: text.to_owned(), error })?;
        if !message.nodes.iter().all(is_supported) {
            return Err(MessageError::Unsupported(text.to_owned()));
        }
        Ok(Self(message.nodes))
    }

    /// Appends the text with its values. Values are not parsed, so braces in them remain text.
    pub(super) fn format_into(&self, out: &mut String, rules: &PluralRules, values: &[(&str, &str)]) {
        append(out, &self.0, rules, values, "");
    }

    #[cfg(test)]
    pub(super) fn to_icu(&self) -> ferrocat_icu::IcuMessage {
        ferrocat_icu::IcuMessage { nodes: self.0.clone() }
    }
}

fn is_supported(node: &IcuNode) -> bool {
    match node {
        IcuNode::Literal(_) | IcuNode::Argument { .. } | IcuNode::Pound => true,
        IcuNode::Plural { kind: IcuPluralKind::Cardinal, offset: 0, options, .. } => options.iter().all(|form| {
            PluralCategory::get_for_cldr_string(&form.selector).is_some() && form.value.iter().all(is_supported)
        }),
        _ => false,
    }
}

/// `number` is the value of `#`.
fn append(out: &mut String, nodes: &[IcuNode], rules: &PluralRules, values: &[(&str, &str)], number: &str) {
    let value_of = |name: &str| values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| *value);
    for node in nodes {
        match node {
            IcuNode::Literal(text) => out.push_str(text),
            IcuNode::Argument { name } => out.push_str(value_of(name)),
            IcuNode::Pound => out.push_str(number),
            IcuNode::Plural { name, options, .. } => {
                let number = value_of(name);
                let category = number.parse().map_or(PluralCategory::Other, |n: u64| rules.category_for(n));
                if let Some(form) = form_of(options, category) {
                    append(out, &form.value, rules, values, number);
                }
            }
            // `Message::parse` rejects all others.
            _ => {}
        }
    }
}

/// The form of a category, or `other`, which every plural has.
fn form_of(options: &[IcuOption], category: PluralCategory) -> Option<&IcuOption> {
    let find = |category| options.iter().find(|o| PluralCategory::get_for_cldr_string(&o.selector) == Some(category));
    find(category).or_else(|| find(PluralCategory::Other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn format(text: &str, language: Language, values: &[(&str, &str)]) -> String {
        let mut out = String::new();
        Message::parse(text).unwrap().format_into(&mut out, &language.plural_rules(), values);
        out
    }

    #[test]
    fn placeholders_in_values_remain_text() {
        let text =
            format("**{killer}** killed {victim}", Language::En, &[("killer", "{victim}"), ("victim", "Bob #1")]);
        assert_eq!(text, "**{victim}** killed Bob #1");
    }

    #[test]
    fn a_plural_selects_the_form_of_its_number() {
        let text = "It's {n, plural, one {# line in {path}} other {# lines in {path}}}, #{n}.";
        assert_eq!(format(text, Language::En, &[("n", "1"), ("path", "a")]), "It's 1 line in a, #1.");
        assert_eq!(format(text, Language::En, &[("n", "2"), ("path", "b")]), "It's 2 lines in b, #2.");
        let text = "{n, plural, one {# строка} few {# строки} many {# строк} other {# строки}}";
        let lines = [(1, "1 строка"), (3, "3 строки"), (11, "11 строк"), (21, "21 строка"), (112, "112 строк")];
        for (number, expected) in lines {
            assert_eq!(format(text, Language::Ru, &[("n", &number.to_string())]), expected);
        }
    }

    #[test]
    fn every_language_has_its_plural_categories() {
        use PluralCategory::{Few, Many, One, Other};
        let samples = [0_u64, 1, 2, 5, 12, 21, 22, 1_000_000];
        let expected = [
            (Language::En, [Other, One, Other, Other, Other, Other, Other, Other]),
            (Language::De, [Other, One, Other, Other, Other, Other, Other, Other]),
            (Language::Es, [Other, One, Other, Other, Other, Other, Other, Many]),
            (Language::Fr, [One, One, Other, Other, Other, Other, Other, Many]),
            (Language::Pl, [Many, One, Few, Many, Many, Many, Few, Many]),
            (Language::Ru, [Many, One, Few, Many, Many, One, Few, Many]),
            (Language::Uk, [Many, One, Few, Many, Many, One, Few, Many]),
            (Language::Zh, [Other; 8]),
        ];
        for (language, expected) in expected {
            let rules = language.plural_rules();
            assert_eq!(samples.map(|number| rules.category_for(number)), expected, "{language:?}");
        }
    }

    #[test]
    fn malformed_and_unsupported_texts_are_rejected() {
        let malformed = ["{", "}", "{}", "{a", "{a b}", "{n, plural, one {#}}", "{n, plural, other {#}"];
        for text in malformed {
            assert!(matches!(Message::parse(text), Err(MessageError::Syntax { .. })), "{text}");
        }
        let unsupported = ["{n, select, other {x}}", "{n, number}", "{n, plural, =0 {x} other {y}}"];
        for text in unsupported {
            assert_eq!(Message::parse(text), Err(MessageError::Unsupported(text.to_owned())));
        }
        assert_eq!(format("<{a}> isn't '{a}'", Language::En, &[("a", "b")]), "<b> isn't 'b'");
    }
}
