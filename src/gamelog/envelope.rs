//! The envelope of a line: timestamp, repeat count and severity.

use super::timestamp::TIMESTAMP_BYTES;

/// Length of the most frequent envelope, `<2025-04-11T15:36:08.178Z> [Notice] `.
pub(super) const ENVELOPE_BYTES: usize = 36;
const SEVERITIES: [&[u8]; 4] = [b"[Notice]", b"[Error]", b"[Warning]", b"[Trace]"];

/// Recognizes the most frequent envelope without a search. It compares two machine words, because comparing eleven
/// bytes compiles to a function call.
#[inline]
pub(super) fn has_common_envelope(line: &[u8]) -> bool {
    let Some(envelope) = line.first_chunk::<ENVELOPE_BYTES>() else { return false };
    let (begins, ends) = (envelope[25..].first_chunk::<8>(), envelope.last_chunk::<4>());
    envelope[0] == b'<' && begins == Some(b"> [Notic") && ends == Some(b"ce] ")
}

/// Splits a line into its timestamp (empty if it has none) and the text after severity and repeat count.
pub(super) fn envelope(line: &[u8]) -> (&[u8], &[u8]) {
    if has_common_envelope(line) {
        return (&line[1..=TIMESTAMP_BYTES], &line[ENVELOPE_BYTES..]);
    }
    let line = &line[line.iter().take_while(|&&byte| byte == 0).count()..];
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let (timestamp, mut text) = match line {
        [b'<', timestamp @ ..] if timestamp.get(TIMESTAMP_BYTES) == Some(&b'>') => {
            (&timestamp[..TIMESTAMP_BYTES], &timestamp[TIMESTAMP_BYTES + 1..])
        }
        _ => (&line[..0], line),
    };
    text = text.strip_prefix(b" ").unwrap_or(text);
    if text.first() != Some(&b'[') {
        return (timestamp, text);
    }
    if let Some(rest) = text.strip_prefix(b"[SPAM ") {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if rest.get(digits) == Some(&b']') {
            text = &rest[digits + 1..];
        }
    }
    for severity in SEVERITIES {
        if let Some(rest) = text.strip_prefix(severity) {
            return (timestamp, rest.strip_prefix(b" ").unwrap_or(rest));
        }
    }
    (timestamp, text)
}

/// Returns true if a severity follows the timestamp.
pub(super) fn has_severity(line: &[u8]) -> bool {
    let after_timestamp = line.get(TIMESTAMP_BYTES + 3..).unwrap_or_default();
    SEVERITIES.iter().any(|severity| after_timestamp.starts_with(severity))
}
