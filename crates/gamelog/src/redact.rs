//! Redaction of lines with a known tag and an unknown remainder, so that maintainers of the grammar can read them.
//! The tag remains, and what the line shares with a built-in shape of this tag: whole texts between two fields. Everything else
//! becomes `x` or `0`, because any other word may be the name of a player.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::fixed_texts::is_word;
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

/// The parts of the text after a tag that remain: those of the shape that shares most with it.
fn kept(grammar: &Grammar, tag: &str, rest: &str, own: Option<&str>) -> Vec<Range<usize>> {
    let shapes = grammar.fixed_texts().iter().filter(|texts| texts.tag == tag);
    let length = |spans: &Vec<Range<usize>>| spans.iter().map(Range::len).sum::<usize>();
    shapes.map(|texts| texts.spans(rest, own)).max_by_key(length).unwrap_or_default()
}

/// Redacts a line. Returns `None` if it does not begin with a known tag. The function is idempotent.
/// `line` is the text after timestamp and severity. `own` is the handle of the local player, which is always redacted.
pub fn redact(grammar: &Grammar, line: &str, own: Option<&str>) -> Option<String> {
    let tag = grammar.tag_of(line.as_bytes())?;
    let rest = line.get(tag.len()..)?;
    let mut out = tag.to_owned();
    let mut kept = kept(grammar, tag, rest, own).into_iter().peekable();
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        let (length, shown) = if let Some(span) = kept.next_if(|span| span.start == at) {
            (span.len(), &rest[span])
        } else if is_word(c) {
            let word = rest[at..].split(|c| !is_word(c)).next().unwrap_or_default();
            (word.len(), if word.bytes().all(|byte| byte.is_ascii_digit()) { "0" } else { "x" })
        } else {
            let shown = if c.is_ascii() && !c.is_control() { &rest[at..=at] } else { " " };
            (c.len_utf8(), shown)
        };
        if out.len() + shown.len() > MAX_REDACTED_BYTES {
            break;
        }
        out.push_str(shown);
        at += length;
    }
    Some(out)
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
        assert_eq!(redacted, "<Actor Death> CActor::x: 'x' [0] in zone 'x' x x x, x=x x 'x' [Class x] x x \"x 0 x\"");
    }

    #[test]
    fn names_that_are_words_of_the_grammar_are_redacted_wherever_a_line_changed() {
        let file: serde_json::Value = serde_json::from_str(Grammar::BUILT_IN).unwrap();
        let shapes = file["shapes"].as_array().unwrap();
        let text = |shape: &serde_json::Value, key: &str| shape[key].as_str().unwrap().to_owned();
        let mut names: Vec<String> = ["local", "remote", "client", "node", "x"].map(str::to_owned).into();
        for shape in shapes {
            let words = text(shape, "shape").split(|c: char| !is_word(c)).map(str::to_owned).collect::<Vec<_>>();
            names.extend(words.into_iter().filter(|word| word.len() > 2));
        }
        let grammar = grammar();
        for shape in shapes {
            let sample = text(shape, "sample");
            let line = &sample[sample.find(&text(shape, "tag")).unwrap()..];
            let (tag, rest) = line.split_at(text(shape, "tag").len());
            let without = |sign: char| format!("{tag}{}", rest.replace(sign, ""));
            let reworded =
                ["killed by", "Handle", "Player", "Local client", "name", "nickname"].map(|w| line.replace(w, "of"));
            let changed = ['\'', '[', ']', '"', '=', ':', '-'].map(without).into_iter().chain(reworded);
            for changed in changed.chain([line.to_owned()]).filter(|line| line.contains("Tester_")) {
                let with = |name: &str| changed.replace("Tester_One", name).replace("Tester_Two", name);
                let wanted = redact(&grammar, &with("Qwertz"), None);
                for name in &names {
                    assert_eq!(redact(&grammar, &with(name), None), wanted, "{}", with(name));
                }
            }
        }
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
