//! Grades: what the reports of an event are worth.

use serde::{Deserialize, Serialize};

/// The grade of a stored event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(i16)]
pub enum Grade {
    /// Reported with an operator key.
    Operator = 1,
    /// Reported by independent accounts of both sides.
    Confirmed = 2,
    /// Reported by the side that it counts against.
    Conceded = 3,
    /// Reported by the side that it counts for.
    SelfReported = 4,
    /// Not reported by any account that took part.
    ThirdParty = 5,
}

impl Grade {
    pub const ALL: [Self; 5] = [Self::Operator, Self::Confirmed, Self::Conceded, Self::SelfReported, Self::ThirdParty];

    /// The stored value.
    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|grade| grade.code() == code)
    }

    /// Whether more than the word of one player supports the event.
    pub fn is_confirmed(self) -> bool {
        matches!(self, Self::Operator | Self::Confirmed)
    }

    /// The name in the API and in exports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Confirmed => "confirmed",
            Self::Conceded => "conceded",
            Self::SelfReported => "self_reported",
            Self::ThirdParty => "third_party",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|grade| grade.as_str() == text)
    }
}
