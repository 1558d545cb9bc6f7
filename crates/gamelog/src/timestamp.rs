//! Parser for the timestamps of lines. A specialized parser is used because nearly every line is read for its time.

use crate::times::{DAY_MS, EpochMillis};

/// Length of `2025-04-11T15:36:08.178Z`.
pub(super) const TIMESTAMP_BYTES: usize = 24;
/// Length of `2025-04-11T15:36:08.178000000+00:00`.
pub(super) const MAX_TIMESTAMP_BYTES: usize = 35;

/// The form of a timestamp as the game writes it, in machine words.
const PATTERN: [&[u8; 8]; 3] = [b"0000-00-", b"00T00:00", b":00.000Z"];
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Parses an RFC 3339 timestamp. The game writes UTC with exactly three decimals, which is parsed without a general parser.
pub(super) fn parse_timestamp(timestamp: &[u8]) -> Option<EpochMillis> {
    parse_common(timestamp).or_else(|| parse_rfc3339(timestamp))
}

/// jiff accepts more than RFC 3339, so the separators are checked.
fn parse_rfc3339(timestamp: &[u8]) -> Option<EpochMillis> {
    let is_rfc3339 = timestamp.len() <= MAX_TIMESTAMP_BYTES
        && [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')]
            .iter()
            .all(|&(at, sign)| timestamp.get(at) == Some(&sign));
    let text = std::str::from_utf8(timestamp).ok().filter(|_| is_rfc3339)?;
    EpochMillis::parse_rfc3339(text).filter(|at| at.0 >= 0)
}

/// Reads eight bytes at a time: a byte that equals the pattern's, or a digit where the pattern has `0`, becomes 0 to 9.
fn parse_common(timestamp: &[u8]) -> Option<EpochMillis> {
    let timestamp: &[u8; TIMESTAMP_BYTES] = timestamp.try_into().ok()?;
    let mut digits = [[0u8; 8]; 3];
    for ((digits, bytes), pattern) in digits.iter_mut().zip(timestamp.as_chunks::<8>().0).zip(PATTERN) {
        let word = u64::from_ne_bytes(*bytes) ^ u64::from_ne_bytes(*pattern);
        // The highest bit of a byte is set in the sum if the byte is above 9, or above 0 where the pattern has a sign.
        let limits = u64::from_ne_bytes(pattern.map(|sign| if sign == b'0' { 0x7F - 9 } else { 0x7F }));
        if (word | (word & !HIGH_BITS).wrapping_add(limits)) & HIGH_BITS != 0 {
            return None;
        }
        *digits = word.to_ne_bytes();
    }
    let [date, day_to_minute, second_to_millis] = digits.map(|digits| digits.map(i64::from));
    let pair = |digits: &[i64; 8], at: usize| digits[at] * 10 + digits[at + 1];
    let [year, month] = [pair(&date, 0) * 100 + pair(&date, 2), pair(&date, 5)];
    let [day, hour, minute] = [pair(&day_to_minute, 0), pair(&day_to_minute, 3), pair(&day_to_minute, 6)];
    let [second, millis] = [pair(&second_to_millis, 1), pair(&second_to_millis, 4) * 10 + second_to_millis[6]];
    let is_date = year >= 1970 && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = (hour * 60 + minute) * 60 + second;
    Some(EpochMillis(days_since_1970(year, month, day) * DAY_MS + seconds * 1000 + millis))
}

/// Days since 1970-01-01. Years begin in March here, so that the leap day is their last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn timestamps_round_trip(ms in 0i64..4_102_444_800_000) {
            let text = jiff::Timestamp::from_millisecond(ms).unwrap().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string();
            prop_assert_eq!(parse_timestamp(text.as_bytes()), Some(EpochMillis(ms)));
        }

        #[test]
        fn accepted_timestamps_are_valid_rfc_3339(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(at) = parse_timestamp(&bytes) {
                prop_assert_eq!(EpochMillis::parse_rfc3339(std::str::from_utf8(&bytes).unwrap()), Some(at));
            }
        }
    }

    #[test]
    fn every_fraction_of_a_second_is_read() {
        let at = EpochMillis(1_744_385_768_000);
        assert_eq!(parse_timestamp(b"2025-04-11T15:36:08Z"), Some(at));
        for digits in 1..=9 {
            let text = format!("2025-04-11T15:36:08.{}Z", "0".repeat(digits));
            assert_eq!(parse_timestamp(text.as_bytes()), Some(at), "{text}");
        }
        assert_eq!(parse_timestamp(b"2025-04-11T15:36:08.178456Z"), Some(EpochMillis(at.0 + 178)));
        assert_eq!(parse_timestamp(b"2025-04-11T17:36:08.178+02:00"), Some(EpochMillis(at.0 + 178)));
    }

    #[test]
    fn invalid_timestamps_are_rejected() {
        assert_eq!(parse_timestamp(b"2025-13-11T15:36:08.178Z"), None);
        assert_eq!(parse_timestamp(b"2025-04-11T15:36:08.178+"), None);
        assert_eq!(parse_timestamp(b"2025-04-11 15:36:08.178Z"), None);
    }
}
