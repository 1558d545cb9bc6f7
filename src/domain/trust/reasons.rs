//! Why a stored event does not count.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

/// The reasons why an event does not stand, as a set of bits. The bits are stored; an event stands if none is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Reasons(i32);

impl Reasons {
    pub const NONE: Self = Self(0);
    pub const HELD_BY_ADMIN: Self = Self(1);
    pub const VOID_BY_ADMIN: Self = Self(2);
    /// All reports of the event are void.
    pub const NO_REPORTS: Self = Self(4);

    /// The reasons that make an event void instead of held.
    const VOID: Self = Self(Self::VOID_BY_ADMIN.0 | Self::NO_REPORTS.0);
    const KNOWN: Self = Self(Self::HELD_BY_ADMIN.0 | Self::VOID.0);

    /// The stored value.
    pub fn bits(self) -> i32 {
        self.0
    }

    /// Reads a stored value; unknown bits are dropped.
    pub fn from_bits(bits: i32) -> Self {
        Self(bits & Self::KNOWN.0)
    }

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The reasons that are in one of the two sets only.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    pub fn state(self) -> State {
        match self {
            Self::NONE => State::Stands,
            reasons if reasons.0 & Self::VOID.0 != 0 => State::Void,
            _ => State::Held,
        }
    }
}

/// Whether an event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = EventState)]
pub enum State {
    /// The event counts and is shown.
    Stands,
    /// The event waits for a decision.
    Held,
    /// The event never counts.
    Void,
}

impl State {
    const ALL: [Self; 3] = [Self::Stands, Self::Held, Self::Void];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Held => "held",
            Self::Void => "void",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_stands_without_reasons_and_void_is_stronger_than_held() {
        assert_eq!(Reasons::NONE.state(), State::Stands);
        assert_eq!(Reasons::HELD_BY_ADMIN.state(), State::Held);
        for void in [Reasons::VOID_BY_ADMIN, Reasons::NO_REPORTS] {
            assert_eq!(void.state(), State::Void);
            assert_eq!(void.with(Reasons::HELD_BY_ADMIN).state(), State::Void);
            assert_eq!(void.with(Reasons::HELD_BY_ADMIN).without(void).state(), State::Held);
        }
    }
}
