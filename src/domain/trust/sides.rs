//! Sets of the sides of an event.

use crate::domain::counters::Side;
use crate::domain::events::{Party, ValidEvent};

/// Sides of an event, as a set of bits: 1 killer, 2 victim, 4 player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sides(i16);

impl Sides {
    pub const NONE: Self = Self(0);
    /// The sides for which an operator reports. A report of an account has one side.
    pub const ALL: Self = Self(7);

    pub const fn of(side: Side) -> Self {
        match side {
            Side::Killer => Self(1),
            Side::Victim => Self(2),
            Side::Player => Self(4),
        }
    }

    /// The stored value.
    pub fn bits(self) -> i16 {
        self.0
    }

    /// Reads a stored value; unknown bits are dropped.
    pub fn from_bits(bits: i16) -> Self {
        Self(bits & Self::ALL.0)
    }

    pub fn contains(self, side: Side) -> bool {
        self.0 & Self::of(side).0 != 0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The side of a player, given by the folded handle; `None` if the player takes no part. A player on both sides of a fight is its victim.
pub fn side_of(event: &ValidEvent, handle: &str) -> Option<Side> {
    let sides = [(Side::Victim, &event.victim), (Side::Killer, &event.killer), (Side::Player, &event.player)];
    let is_player = |party: &Party| party.player().is_some_and(|own| own.folded() == handle);
    sides.into_iter().find(|(_, party)| is_player(party)).map(|(side, _)| side)
}
