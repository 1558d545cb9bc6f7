//! Redaction of lines with a known tag and an unknown remainder, so that maintainers of the grammar can read them.
//! The tag, words of the built-in grammar, and names of fields and code remain. Everything else (handles, ids, places,
//! classes, texts) becomes `x` or `0`.

use serde::{Deserialize, Serialize};

use super::grammar::Grammar;

/// Redacted lines are cut to this length.
pub const MAX_REDACTED_BYTES: usize = 600;
/// A parser stores at most this many distinct lines.
const MAX_LINES: usize = 50;

/// A redacted line and how often it occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownLine {
    pub line: String,
    pub count: u64,
}

/// Counts a line. New distinct lines are stored up to [`MAX_LINES`].
pub(super) fn record(lines: &mut Vec<UnknownLine>, grammar: &Grammar, text: &[u8], own: Option<&str>) {
    let Some(line) = redact(grammar, &String::from_utf8_lossy(text), own) else { return };
    if let Some(known) = lines.iter_mut().find(|known| known.line == line) {
        known.count += 1;
    } else if lines.len() < MAX_LINES {
        lines.push(UnknownLine { line, count: 1 });
    }
}

/// Redacts a line. Returns `None` if it does not begin with a known tag. The function is idempotent.
/// `line` is the text after timestamp and severity. `own` is the handle of the local player, which is always redacted.
pub fn redact(grammar: &Grammar, line: &str, own: Option<&str>) -> Option<String> {
    let tag = grammar.tag_of(line.as_bytes())?;
    let rest = line.get(tag.len()..)?;
    let mut out = tag.to_owned();
    let mut quote = None;
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        if !is_word(c) {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (None, '"' | '\'') => quote = Some(c),
                (None, '[') => depth += 1,
                (None, ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if out.len() == MAX_REDACTED_BYTES {
                break;
            }
            out.push(if c.is_ascii() && !c.is_control() { c } else { ' ' });
            at += c.len_utf8();
            continue;
        }
        let end = rest[at..].find(|c| !is_word(c)).map_or(rest.len(), |length| at + length);
        let word = &rest[at..end];
        let is_code = rest[end..].starts_with("::") || rest[..at].ends_with("::") || rest[end..].starts_with('=');
        let is_open = quote.is_none() && depth == 0;
        let is_own = own.is_some_and(|own| own.eq_ignore_ascii_case(word));
        let is_shown = is_open && !is_own && word.is_ascii() && (is_code || grammar.has_word(word));
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let shown = if is_shown && !has_digit {
            word
        } else if is_number {
            "0"
        } else {
            "x"
        };
        // The `::` or `=` after a word of code has to fit as well.
        if out.len() + shown.len() + "::".len() > MAX_REDACTED_BYTES {
            break;
        }
        out.push_str(shown);
        at = end;
    }
    Some(out)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grammar() -> Grammar {
        Grammar::built_in().unwrap()
    }

    const KILL: &str = "<Actor Death> CActor::Perish: 'Tester_Two' [201000000002] in zone 'pyro4' ended by Tester_One, victimName=Tester_Two using 'behr_lmg_ballistic_01_2529333258789' [Class behr_lmg] in chat \"hello 12 you\"";

    #[test]
    fn names_and_numbers_are_redacted_and_the_form_remains() {
        let redacted = redact(&grammar(), KILL, Some("Tester_One")).unwrap();
        assert_eq!(
            redacted,
            "<Actor Death> CActor::Perish: 'x' [0] in zone 'x' x by x, victimName=x using 'x' [x x] in x \"x 0 x\""
        );
    }

    #[test]
    fn lines_without_a_known_tag_are_not_redacted() {
        assert_eq!(redact(&grammar(), "<Chat> somebody: hello", None), None);
        assert_eq!(redact(&grammar(), "", None), None);
    }

    proptest! {
        #[test]
        fn handles_and_numbers_are_redacted_at_every_position(
            handle in "[A-Za-z][A-Za-z0-9_]{4,20}[0-9]",
            before in "[ '\"\\[\\]:=,.<>-]{0,6}", after in "[ '\"\\[\\],.<>-]{0,6}", id in 1_000_000u64..,
        ) {
            let line = format!("<Actor Death> killed {before}{handle}{after} {id} by");
            let redacted = redact(&grammar(), &line, None).unwrap();
            prop_assert!(!redacted.contains(&handle) && !redacted.contains(&id.to_string()), "{redacted}");
            prop_assert_eq!(redact(&grammar(), &redacted, None), Some(redacted));
        }

        #[test]
        fn redaction_is_bounded_and_idempotent(text in any::<String>()) {
            let line = format!("<Actor Death> {text}");
            let redacted = redact(&grammar(), &line, None).unwrap();
            prop_assert!(redacted.len() <= MAX_REDACTED_BYTES);
            prop_assert!(!redacted["<Actor Death>".len()..].bytes().any(|b| (b'1'..=b'9').contains(&b)));
        }
    }
}
