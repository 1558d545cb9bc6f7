//! Lines that begin like known ones and go on unknown, made fit to be shown to those who mend the grammar.
//!
//! What is kept of a line: the tag, the words that the grammar itself has, names of fields and of code. All else
//! (handles, ids, places, classes, texts) becomes `x` and `0`.

use serde::{Deserialize, Serialize};

use super::grammar::Grammar;

/// A masked line is never longer.
pub const SAMPLE_MAX_BYTES: usize = 600;
/// A reader keeps at most so many different lines.
const SAMPLES_MAX: usize = 50;

/// A masked line and how often it was met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    pub line: String,
    pub count: u64,
}

/// Counts a line among those met; of new ones only the first few are kept.
pub(super) fn note(met: &mut Vec<Unknown>, grammar: &Grammar, text: &[u8], own: Option<&str>) {
    let Some(line) = mask(grammar, &String::from_utf8_lossy(text), own) else { return };
    if let Some(known) = met.iter_mut().find(|known| known.line == line) {
        known.count += 1;
    } else if met.len() < SAMPLES_MAX {
        met.push(Unknown { line, count: 1 });
    }
}

/// The line without names and numbers; `None` when it does not begin like a known one. Masking twice is masking once.
///
/// `line` is what follows stamp and severity; `own` is the handle of the local player, which no rule lets through.
pub fn mask(grammar: &Grammar, line: &str, own: Option<&str>) -> Option<String> {
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
            if out.len() == SAMPLE_MAX_BYTES {
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
        let is_kept = is_open && !is_own && word.is_ascii() && (is_code || grammar.has_word(word));
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let shown = if is_kept && !has_digit {
            word
        } else if is_number {
            "0"
        } else {
            "x"
        };
        // What makes a word one of code stands behind it and has to fit too.
        if out.len() + shown.len() + "::".len() > SAMPLE_MAX_BYTES {
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
    fn names_and_numbers_are_gone_and_the_form_is_there() {
        let masked = mask(&grammar(), KILL, Some("Tester_One")).unwrap();
        assert_eq!(
            masked,
            "<Actor Death> CActor::Perish: 'x' [0] in zone 'x' x by x, victimName=x using 'x' [x x] in x \"x 0 x\""
        );
    }

    #[test]
    fn other_lines_are_no_samples() {
        assert_eq!(mask(&grammar(), "<Chat> somebody: hello", None), None);
        assert_eq!(mask(&grammar(), "", None), None);
    }

    proptest! {
        #[test]
        fn no_handle_and_no_number_survives_wherever_it_stands(
            handle in "[A-Za-z][A-Za-z0-9_]{4,20}[0-9]",
            before in "[ '\"\\[\\]:=,.<>-]{0,6}", after in "[ '\"\\[\\],.<>-]{0,6}", id in 1_000_000u64..,
        ) {
            let line = format!("<Actor Death> killed {before}{handle}{after} {id} by");
            let masked = mask(&grammar(), &line, None).unwrap();
            prop_assert!(!masked.contains(&handle) && !masked.contains(&id.to_string()), "{masked}");
            prop_assert_eq!(mask(&grammar(), &masked, None), Some(masked));
        }

        #[test]
        fn any_text_is_masked_once_for_all(text in any::<String>()) {
            let line = format!("<Actor Death> {text}");
            let masked = mask(&grammar(), &line, None).unwrap();
            prop_assert!(masked.len() <= SAMPLE_MAX_BYTES);
            prop_assert!(!masked["<Actor Death>".len()..].bytes().any(|b| (b'1'..=b'9').contains(&b)));
        }
    }
}
