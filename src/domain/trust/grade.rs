//! Grades: what the report of an event is worth.

use super::reporter::Scope;

/// The grade of a stored event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum Grade {
    /// Reported with an account key, without proof of which log it comes from.
    Legacy = 0,
    /// Reported with an operator key.
    Operator = 1,
}

impl Grade {
    const ALL: [Self; 2] = [Self::Legacy, Self::Operator];

    /// The grade of an event that one reporter has reported.
    pub fn of(scope: Scope) -> Self {
        if scope.is_operator() { Self::Operator } else { Self::Legacy }
    }

    /// Whether the report stands against later ones of operators.
    pub fn is_final(self) -> bool {
        self == Self::Operator
    }

    /// The stored value.
    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|grade| grade.code() == code)
    }

    /// The name in exports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Operator => "operator",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|grade| grade.as_str() == text)
    }
}
