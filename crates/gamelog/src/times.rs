//! Times as numbers: milliseconds internally, seconds in JSON, days for daily sums.

use serde::{Deserialize, Deserializer, Serialize};

/// Milliseconds in an hour.
pub const HOUR_MS: i64 = 3_600_000;
/// Seconds in an hour.
pub const HOUR_SECS: i64 = 3_600;

/// Milliseconds in a day.
pub const DAY_MS: i64 = 86_400_000;

/// Milliseconds since 1970 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct EpochMillis(pub i64);

impl EpochMillis {
    /// Whole seconds since 1970, the unit of times in JSON.
    pub fn secs(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The UTC day, counted from 1970-01-01.
    pub fn day(self) -> Day {
        Day(i32::try_from(self.0.div_euclid(DAY_MS)).unwrap_or(i32::MAX))
    }

    /// Milliseconds until the next UTC day begins.
    pub fn until_next_day(self) -> i64 {
        DAY_MS - self.0.rem_euclid(DAY_MS)
    }

    /// Formats as `YYYY-MM-DD HH:MM:SS` in UTC; `None` beyond the years that have such a form.
    pub fn date_and_time(self) -> Option<String> {
        let at = jiff::Timestamp::from_millisecond(self.0).ok()?;
        Some(at.strftime("%Y-%m-%d %H:%M:%S").to_string())
    }

    /// Parses an RFC 3339 time, such as `2026-05-02T21:02:06.340Z`.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|t| Self(t.as_millisecond()))
    }
}

/// Accepts epoch milliseconds or an RFC 3339 time.
impl<'de> Deserialize<'de> for EpochMillis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl serde::de::Visitor<'_> for Either {
            type Value = EpochMillis;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("epoch milliseconds or an RFC 3339 time")
            }
            fn visit_i64<E: serde::de::Error>(self, ms: i64) -> Result<EpochMillis, E> {
                Ok(EpochMillis(ms))
            }
            fn visit_u64<E: serde::de::Error>(self, ms: u64) -> Result<EpochMillis, E> {
                i64::try_from(ms).map(EpochMillis).map_err(|_| {
                    E::custom("event_time is out of range: expected epoch milliseconds or an RFC 3339 time")
                })
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<EpochMillis, E> {
                EpochMillis::parse_rfc3339(text).ok_or_else(|| {
                    E::custom(format!(
                        "invalid event_time '{}': expected epoch milliseconds or an RFC 3339 time",
                        text.chars().take(40).collect::<String>()
                    ))
                })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A UTC day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Day(pub i32);

impl Day {
    /// The first millisecond of the day.
    pub fn start(self) -> EpochMillis {
        EpochMillis(i64::from(self.0) * DAY_MS)
    }

    /// Formats the day as `YYYY-MM-DD`.
    pub fn iso(self) -> String {
        jiff::Timestamp::from_millisecond(self.start().0)
            .map(|t| t.strftime("%Y-%m-%d").to_string())
            .unwrap_or_else(|_| self.0.to_string())
    }

    /// Parses `YYYY-MM-DD`.
    pub fn parse_iso(text: &str) -> Option<Self> {
        EpochMillis::parse_rfc3339(&format!("{text}T00:00:00Z")).map(EpochMillis::day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_in_utc() {
        let at = EpochMillis::parse_rfc3339("2025-04-11T17:36:08.178+02:00").unwrap();
        assert_eq!(at.date_and_time().as_deref(), Some("2025-04-11 15:36:08"));
        assert_eq!(EpochMillis(i64::MAX).date_and_time(), None);
    }

    #[test]
    fn rfc3339_with_offset_and_fraction_is_the_same_instant() {
        let utc = EpochMillis::parse_rfc3339("2025-04-11T15:36:08.178Z").unwrap();
        let offset = EpochMillis::parse_rfc3339("2025-04-11T17:36:08.178+02:00").unwrap();
        assert_eq!(utc, offset);
        assert_eq!(utc.0, 1_744_385_768_178);
        assert_eq!(utc.day().iso(), "2025-04-11");
    }

    #[test]
    fn times_before_1970_fall_on_the_day_before() {
        assert_eq!(EpochMillis(-1).day(), Day(-1));
        assert_eq!(EpochMillis(-1).secs(), -1);
    }

    #[test]
    fn a_day_is_parsed_from_its_text_form() {
        assert_eq!(Day::parse_iso(&Day(20_240).iso()), Some(Day(20_240)));
        assert_eq!(Day::parse_iso("2025-02-30"), None);
        assert_eq!(Day::parse_iso("2025-06-01T00:00:00Z"), None);
    }

    #[test]
    fn both_wire_forms_are_read() {
        let both: Vec<EpochMillis> = serde_json::from_str(r#"[1744385768178, "2025-04-11T15:36:08.178Z"]"#).unwrap();
        assert_eq!(both[0], both[1]);
        assert!(serde_json::from_str::<EpochMillis>("\"yesterday\"").is_err());
        assert!(serde_json::from_str::<EpochMillis>("18446744073709551615").is_err());
    }
}
