//! Why a stored event does not count.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The reasons why an event does not count, as a set of bits. The bits are stored; in JSON it is a list of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(into = "Vec<&'static str>", try_from = "Vec<String>")]
pub struct Reasons(i32);

macro_rules! reasons {
    ($($(#[$doc:meta])* $constant:ident = $bit:literal $name:literal),+ $(,)?) => {
        impl Reasons {
            $($(#[$doc])* pub const $constant: Self = Self($bit);)+

            /// Each reason with its name in the API.
            pub const NAMES: &'static [(Self, &'static str)] = &[$((Self::$constant, $name)),+];
            const KNOWN: Self = Self(0 $(| $bit)+);
        }
    };
}

reasons! {
    HELD_BY_ADMIN = 1 "held_by_admin",
    VOID_BY_ADMIN = 2 "void_by_admin",
    /// All reports of the event are void.
    NO_REPORTS = 4 "no_reports",
    /// The log names a player that no account has claimed.
    UNCLAIMED = 8 "unclaimed",
    /// No account that took part reported the event.
    THIRD_PARTY = 16 "third_party",
    /// No known build of the game writes such an event.
    UNKNOWN_KIND = 32 "unknown_kind",
    /// More fights of one killer than anybody has in that time.
    TOO_MANY_FIGHTS = 64 "too_many_fights",
    /// More kills of players by one killer than anybody has in that time.
    TOO_MANY_KILLS = 128 "too_many_kills",
    /// More contracts of one player than anybody has in that time.
    TOO_MANY_CONTRACTS = 256 "too_many_contracts",
    /// The player is in two logs at once, and the other one was reported first.
    TWO_LOGS = 512 "two_logs",
    /// The account reported too many new names.
    TOO_MANY_NAMES = 2048 "too_many_names",
    /// The event names a player that nobody knows yet.
    PROVISIONAL_NAME = 4096 "provisional_name",
    /// The log comes from another channel than LIVE.
    OTHER_CHANNEL = 8192 "other_channel",
    /// The mission was completed by an earlier event.
    REPEATED_CONTRACT = 16384 "repeated_contract",
}

impl Reasons {
    pub const NONE: Self = Self(0);
    /// The reasons that make an event void instead of held.
    pub const VOID: Self = Self(Self::VOID_BY_ADMIN.0 | Self::NO_REPORTS.0);
    /// The reasons that follow from the reports of the event.
    pub const OF_REPORTS: Self = Self(Self::UNCLAIMED.0 | Self::THIRD_PARTY.0);
    /// The reasons that end once both sides or an operator report the event.
    pub const UNTIL_CONFIRMED: Self = Self(
        Self::UNKNOWN_KIND.0
            | Self::TOO_MANY_FIGHTS.0
            | Self::TOO_MANY_KILLS.0
            | Self::TOO_MANY_CONTRACTS.0
            | Self::TOO_MANY_NAMES.0
            | Self::TWO_LOGS.0
            | Self::REPEATED_CONTRACT.0,
    );
    /// The reasons with which an event is shown on its own page.
    const SHOWN: Self = Self(Self::THIRD_PARTY.0 | Self::OTHER_CHANNEL.0);

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

    /// Whether some reason is in both sets.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The reasons that are in both sets.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The reasons that are in one of the two sets only.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    pub fn state(self) -> State {
        match self {
            Self::NONE => State::Stands,
            reasons if reasons.intersects(Self::VOID) => State::Void,
            _ => State::Held,
        }
    }

    /// Whether there is no reason.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// Whether the figures contain the event.
    pub fn counts(self) -> bool {
        self == Self::NONE
    }

    /// Whether the event has a page. Feeds show only events that stand.
    pub fn is_shown(self) -> bool {
        self.without(Self::SHOWN) == Self::NONE
    }

    /// The names of the reasons.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.iter().filter(|(reason, _)| self.contains(*reason)).map(|(_, name)| *name).collect()
    }
}

impl From<Reasons> for Vec<&'static str> {
    fn from(reasons: Reasons) -> Self {
        reasons.names()
    }
}

/// A name that no reason has.
#[derive(Debug, thiserror::Error)]
#[error("unknown reason '{0}'")]
pub struct UnknownReason(String);

impl TryFrom<Vec<String>> for Reasons {
    type Error = UnknownReason;

    fn try_from(names: Vec<String>) -> Result<Self, UnknownReason> {
        names.into_iter().try_fold(Self::NONE, |all, name| {
            let known = Self::NAMES.iter().find(|(_, known)| *known == name);
            known.map(|(reason, _)| all.with(*reason)).ok_or(UnknownReason(name))
        })
    }
}

/// Whether an event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
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
    fn each_reason_has_one_bit_and_a_name() {
        let bits: Vec<i32> = Reasons::NAMES.iter().map(|(reason, _)| reason.bits()).collect();
        assert!(bits.iter().all(|bit| bit.count_ones() == 1));
        assert_eq!(bits.iter().fold(0, |all, bit| all | bit).count_ones() as usize, bits.len());
        assert_eq!(Reasons::HELD_BY_ADMIN.with(Reasons::UNCLAIMED).names(), ["held_by_admin", "unclaimed"]);
    }

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
