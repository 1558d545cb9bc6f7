//! The envelope of a line: timestamp, repeat count and severity.

use super::timestamp::{MAX_TIMESTAMP_BYTES, TIMESTAMP_BYTES};

/// Length of the most frequent envelope, `<2025-04-11T15:36:08.178Z> [Notice] `. Shorter lines are never skipped without a search.
const ENVELOPE_BYTES: usize = 36;
/// A timestamp of any form before a severity is at most this long.
const SEVERITY_WITHIN_BYTES: usize = 64;
const SEVERITIES: [&[u8]; 4] = [b"Notice", b"Error", b"Warning", b"Trace"];

/// The text of a line that begins with one of the most frequent envelopes, recognized without a search: a timestamp, and a severity or
/// none. `None` for all other lines.
#[inline]
pub(super) fn text_after_common_envelope(line: &[u8]) -> Option<&[u8]> {
    let head = line.first_chunk::<ENVELOPE_BYTES>()?;
    let is_timestamp = head[0] == b'<' && head[11] == b'T' && head[24] == b'Z' && head[25..27] == *b"> ";
    // One machine word, because comparing more bytes compiles to a function call.
    match head[27..].first_chunk::<8>()? {
        _ if !is_timestamp => None,
        b"[Notice]" if head[35] == b' ' => Some(&line[ENVELOPE_BYTES..]),
        b"[Error] " => Some(&line[35..]),
        [b'[', ..] => None,
        _ => Some(&line[27..]),
    }
}

/// Whether a line with a common envelope has a severity.
#[inline]
pub(super) fn has_common_severity(line: &[u8]) -> bool {
    line.get(27) == Some(&b'[')
}

/// Splits a line into its timestamp (empty if it has none) and the text after severity and repeat count.
pub(super) fn envelope(line: &[u8]) -> (&[u8], &[u8]) {
    if let Some(text) = text_after_common_envelope(line) {
        return (&line[1..=TIMESTAMP_BYTES], text);
    }
    let (timestamp, text) = split_timestamp(line);
    let text = after_repeats(text);
    (timestamp, after_severity(text).unwrap_or(text))
}

/// Returns true if a line looks as if the game had written a timestamp before it: it begins with a number, or a severity follows
/// soon. The lines of a longer text, and those of a crash, do not.
pub(super) fn looks_timed(line: &[u8]) -> bool {
    let line = without_marks(line);
    let number = line.strip_prefix(b"<").or_else(|| line.strip_prefix(b"[")).unwrap_or(line);
    let is_severity = |inside: &[u8]| {
        SEVERITIES.iter().any(|severity| inside.strip_prefix(*severity).is_some_and(|rest| rest.starts_with(b"]")))
    };
    let head = &line[..line.len().min(SEVERITY_WITHIN_BYTES)];
    number.first().is_some_and(u8::is_ascii_digit) || head.split(|&byte| byte == b'[').skip(1).any(is_severity)
}

/// Returns true if a severity follows the timestamp.
pub(super) fn has_severity(line: &[u8]) -> bool {
    let (timestamp, text) = split_timestamp(line);
    !timestamp.is_empty() && after_severity(after_repeats(text)).is_some()
}

fn split_timestamp(line: &[u8]) -> (&[u8], &[u8]) {
    let line = without_marks(line);
    let (timestamp, text) = match line {
        // A tag begins with `<` too, but not with a digit.
        [b'<', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => {
            let end = rest.iter().take(MAX_TIMESTAMP_BYTES + 1).position(|&byte| byte == b'>');
            end.map_or((&line[..0], line), |end| (&rest[..end], &rest[end + 1..]))
        }
        _ => (&line[..0], line),
    };
    (timestamp, text.strip_prefix(b" ").unwrap_or(text))
}

/// A line without the NUL bytes and the byte order mark before it.
fn without_marks(line: &[u8]) -> &[u8] {
    let line = &line[line.iter().take_while(|&&byte| byte == 0).count()..];
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}

/// The text after a repeat count, as in `[SPAM 7][Notice]`.
fn after_repeats(text: &[u8]) -> &[u8] {
    let Some(count) = text.strip_prefix(b"[SPAM ") else { return text };
    let digits = count.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = count[digits..].strip_prefix(b"]").unwrap_or(text);
    rest.strip_prefix(b" ").unwrap_or(rest)
}

/// The text after the severity; `None` if there is none.
fn after_severity(text: &[u8]) -> Option<&[u8]> {
    let (word, rest) = split_bracketed_word(text)?;
    // Other words in brackets begin a tag, as in `[CIG] CCIGBroker`, unless a tag follows them.
    (SEVERITIES.contains(&word) || rest.starts_with(b"<")).then_some(rest)
}

/// The text after a word in brackets, which may be a severity of a newer build.
pub(super) fn after_bracketed_word(text: &[u8]) -> Option<&[u8]> {
    split_bracketed_word(text).map(|(_, rest)| rest)
}

fn split_bracketed_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"[")?;
    let letters = inside.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest = inside[letters..].strip_prefix(b"]")?;
    Some((&inside[..letters], rest.strip_prefix(b" ").unwrap_or(rest)))
}
