//! The rules that the operator of a site can set.

/// What happens to the reports of an account from the log of a player that no account has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unclaimed {
    /// They wait until the account claims the player.
    #[default]
    Wait,
    /// They count as the player's own.
    Count,
}

impl Unclaimed {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "wait" => Some(Self::Wait),
            "count" => Some(Self::Count),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Count => "count",
        }
    }
}

/// The rules for reports of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRules {
    pub unclaimed: Unclaimed,
    /// The version of the last patch whose builds write kills and vehicle losses to the log; `None` if all do.
    pub last_fight_patch: Option<i64>,
}

impl Default for TrustRules {
    /// Builds since 4.4 write neither kills nor vehicle losses.
    fn default() -> Self {
        Self { unclaimed: Unclaimed::Wait, last_fight_patch: Some(4_003_999) }
    }
}
