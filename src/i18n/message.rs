//! Message format of the catalogues: the part of ICU MessageFormat that the texts use.

use super::Language;

/// A parsed text: `{name}` is replaced by a value, `{name, plural, one {# event} other {# events}}` selects a form by a number,
/// and `#` in a form is that number. Apostrophes are ordinary characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Value(String),
    Plural { name: String, forms: Vec<(PluralCategory, Message)> },
}

/// A plural category of the Unicode CLDR that integers have in a supported language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PluralCategory {
    One,
    Few,
    Many,
    Other,
}

/// An invalid text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid message '{0}': expected {{name}} or {{name, plural, one {{…}} other {{…}}}}")]
pub(super) struct MessageError(String);

impl PluralCategory {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "one" => Self::One,
            "few" => Self::Few,
            "many" => Self::Many,
            "other" => Self::Other,
            _ => return None,
        })
    }

    /// The category of an integer, by the cardinal rules of the CLDR.
    pub(super) fn of(language: Language, number: u64) -> Self {
        let (last, last_two) = (number % 10, number % 100);
        let is_few = (2..=4).contains(&last) && !(12..=14).contains(&last_two);
        let is_million = number != 0 && number.is_multiple_of(1_000_000);
        match language {
            Language::En | Language::De | Language::Es | Language::Pl if number == 1 => Self::One,
            Language::Fr if number <= 1 => Self::One,
            Language::Es | Language::Fr if is_million => Self::Many,
            Language::Ru | Language::Uk if last == 1 && last_two != 11 => Self::One,
            Language::Pl | Language::Ru | Language::Uk => {
                if is_few {
                    Self::Few
                } else {
                    Self::Many
                }
            }
            _ => Self::Other,
        }
    }
}

impl Message {
    pub(super) fn parse(text: &str) -> Result<Self, MessageError> {
        let mut rest = text;
        let parts = parse_parts(&mut rest, None).ok_or_else(|| MessageError(text.to_owned()))?;
        if rest.is_empty() { Ok(Self(parts)) } else { Err(MessageError(text.to_owned())) }
    }

    /// Appends the text with its values. Values are not parsed, so braces in them remain text.
    pub(super) fn format_into(&self, out: &mut String, language: Language, values: &[(&str, &str)]) {
        let value_of = |name: &str| values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| *value);
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Value(name) => out.push_str(value_of(name)),
                Part::Plural { name, forms } => {
                    let number = value_of(name).parse().map(|number| PluralCategory::of(language, number));
                    let category = number.unwrap_or(PluralCategory::Other);
                    let form = |category| forms.iter().find(|(known, _)| *known == category);
                    if let Some((_, message)) = form(category).or_else(|| form(PluralCategory::Other)) {
                        message.format_into(out, language, values);
                    }
                }
            }
        }
    }
}

/// Parses up to the end of the text or, in a plural form, up to its closing brace.
fn parse_parts(rest: &mut &str, number: Option<&str>) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let special: &[char] = if number.is_some() { &['{', '}', '#'] } else { &['{', '}'] };
    loop {
        let at = rest.find(special).unwrap_or(rest.len());
        let (text, tail) = rest.split_at(at);
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
        *rest = tail;
        match (tail.chars().next(), number) {
            (Some('{'), _) => {
                *rest = &tail[1..];
                parts.push(parse_placeholder(rest)?);
            }
            (Some('#'), Some(name)) => {
                *rest = &tail[1..];
                parts.push(Part::Value(name.to_owned()));
            }
            _ => return Some(parts),
        }
    }
}

/// Parses the rest of a placeholder, after its opening brace.
fn parse_placeholder(rest: &mut &str) -> Option<Part> {
    let (name, tail) = rest.split_at(rest.find(['{', '}', ','])?);
    let name = name.trim();
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    if let Some(tail) = tail.strip_prefix('}') {
        *rest = tail;
        return Some(Part::Value(name.to_owned()));
    }
    let tail = tail.strip_prefix(',')?.trim_start().strip_prefix("plural")?.trim_start().strip_prefix(',')?;
    let mut forms = Vec::new();
    *rest = tail.trim_start();
    while !rest.starts_with('}') {
        let (category, tail) = rest.split_once('{')?;
        *rest = tail;
        let parts = parse_parts(rest, Some(name))?;
        forms.push((PluralCategory::parse(category.trim())?, Message(parts)));
        *rest = rest.strip_prefix('}')?.trim_start();
    }
    *rest = &rest[1..];
    let has_other = forms.iter().any(|(category, _)| *category == PluralCategory::Other);
    has_other.then(|| Part::Plural { name: name.to_owned(), forms })
}

#[cfg(test)]
impl Message {
    /// The names of all placeholders.
    pub(super) fn placeholders(&self) -> std::collections::BTreeSet<&str> {
        let mut names = std::collections::BTreeSet::new();
        for part in &self.0 {
            match part {
                Part::Text(_) => {}
                Part::Value(name) => {
                    names.insert(name.as_str());
                }
                Part::Plural { name, forms } => {
                    names.insert(name.as_str());
                    names.extend(forms.iter().flat_map(|(_, message)| message.placeholders()));
                }
            }
        }
        names
    }

    /// The categories of each plural, sorted.
    pub(super) fn plurals(&self) -> Vec<Vec<PluralCategory>> {
        let of = |part: &Part| match part {
            Part::Plural { forms, .. } => {
                let mut categories: Vec<PluralCategory> = forms.iter().map(|(category, _)| *category).collect();
                categories.sort_unstable();
                Some(categories)
            }
            _ => None,
        };
        self.0.iter().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str, language: Language, values: &[(&str, &str)]) -> String {
        let mut out = String::new();
        Message::parse(text).unwrap().format_into(&mut out, language, values);
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
    fn numbers_have_the_plural_categories_of_the_cldr() {
        use PluralCategory::{Few, Many, One, Other};
        let samples = [0, 1, 2, 5, 12, 21, 22, 1_000_000];
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
            assert_eq!(samples.map(|number| PluralCategory::of(language, number)), expected, "{language:?}");
        }
    }

    #[test]
    fn malformed_texts_are_rejected() {
        let texts =
            ["{", "}", "{}", "{a", "{a b}", "{n, plural, one {#}}", "{n, plural, other {#}", "{n, select, other {x}}"];
        for text in texts {
            assert_eq!(Message::parse(text), Err(MessageError(text.to_owned())));
        }
    }
}
