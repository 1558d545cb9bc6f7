//! Spells out a class that is in no list.

/// Converts `Rough_Ready-Guard` to `Rough Ready Guard`.
pub(super) fn spell(class: &str) -> String {
    join(class.split(|c: char| c == '_' || c == '-' || c.is_whitespace() || c.is_control()))
}

/// Like [`spell`], and converts `FrontierFighters` to `Frontier Fighters`.
pub(super) fn spell_camel_case(class: &str) -> String {
    let mut apart = String::with_capacity(class.len() + 8);
    let mut before = ' ';
    for c in class.chars() {
        if before.is_ascii_lowercase() && c.is_ascii_uppercase() {
            apart.push(' ');
        }
        apart.push(c);
        before = c;
    }
    spell(&apart)
}

/// Joins the non-empty parts with single spaces.
pub(super) fn join<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts.filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

/// Removes all trailing numbers such as `_01` and `_2`.
pub(super) fn without_numbers(class: &str) -> &str {
    let mut rest = class;
    while let Some((before, number)) = rest.rsplit_once('_') {
        let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        if before.is_empty() || !is_number {
            break;
        }
        rest = before;
    }
    rest
}

/// The text, or `default` if it is empty.
pub(super) fn or_default(text: String, default: &str) -> String {
    if text.is_empty() { default.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_spelled_out() {
        assert_eq!(spell("_Rough__Ready-Guard_"), "Rough Ready Guard");
        assert_eq!(spell_camel_case("FrontierFighters_ACE"), "Frontier Fighters ACE");
    }

    #[test]
    fn only_short_trailing_numbers_are_removed() {
        assert_eq!(without_numbers("Bounty_Easy_0"), "Bounty_Easy");
        assert_eq!(without_numbers("Vanduul_Pilot_01_02"), "Vanduul_Pilot");
        assert_eq!(without_numbers("KLWE_S4"), "KLWE_S4");
        assert_eq!(without_numbers("_1"), "_1");
        assert_eq!(without_numbers("Sector_2950"), "Sector_2950");
    }
}
