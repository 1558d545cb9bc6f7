//! Spelling out a class that no list has: blanks for the signs between its parts.

/// `Rough_Ready-Guard` as `Rough Ready Guard`; repeated and outer blanks go.
pub(super) fn spelled(class: &str) -> String {
    join(class.split(|c: char| c == '_' || c == '-' || c.is_whitespace() || c.is_control()))
}

/// Like [`spelled`], and `FrontierFighters` as `Frontier Fighters`.
pub(super) fn spelled_apart(class: &str) -> String {
    let mut apart = String::with_capacity(class.len() + 8);
    let mut before = ' ';
    for c in class.chars() {
        if before.is_ascii_lowercase() && c.is_ascii_uppercase() {
            apart.push(' ');
        }
        apart.push(c);
        before = c;
    }
    spelled(&apart)
}

/// The parts with single blanks between them.
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

/// Cuts `_01`, `_2` and their like off the end, as often as they stand there.
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

/// The text, or `otherwise` when nothing is left of it.
pub(super) fn or(text: String, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_spelled_out() {
        assert_eq!(spelled("_Rough__Ready-Guard_"), "Rough Ready Guard");
        assert_eq!(spelled_apart("FrontierFighters_ACE"), "Frontier Fighters ACE");
    }

    #[test]
    fn only_short_numbers_at_the_end_are_cut() {
        assert_eq!(without_numbers("Bounty_Easy_0"), "Bounty_Easy");
        assert_eq!(without_numbers("Vanduul_Pilot_01_02"), "Vanduul_Pilot");
        assert_eq!(without_numbers("KLWE_S4"), "KLWE_S4");
        assert_eq!(without_numbers("_1"), "_1");
        assert_eq!(without_numbers("Sector_2950"), "Sector_2950");
    }
}
