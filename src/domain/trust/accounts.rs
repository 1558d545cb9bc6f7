//! Independent accounts: old and active enough that one person cannot quickly create several of them.

use crate::domain::times::{DAY_MS, EpochMillis};

/// The age from which an account is independent.
const MIN_AGE_MS: i64 = 14 * DAY_MS;
/// The number of days with authenticated calls from which an account is independent.
const MIN_DAYS_SEEN: i64 = 5;

/// How long a user has had an account here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountAge {
    pub user_id: i64,
    pub first_sign_in: EpochMillis,
    /// Number of UTC days with authenticated calls.
    pub days_seen: i64,
}

impl AccountAge {
    /// Whether the account is old and active enough to confirm what others report.
    pub fn is_independent(&self, now: EpochMillis) -> bool {
        now.0 - self.first_sign_in.0 >= MIN_AGE_MS && self.days_seen >= MIN_DAYS_SEEN
    }
}

/// The number of these accounts that are independent.
pub fn independent(accounts: &[AccountAge], now: EpochMillis) -> usize {
    accounts.iter().filter(|account| account.is_independent(now)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_independent_after_fourteen_days_and_five_days_seen() {
        let now = EpochMillis(100 * DAY_MS);
        let account = |age_days: i64, days_seen| AccountAge {
            user_id: 1,
            first_sign_in: EpochMillis(now.0 - age_days * DAY_MS),
            days_seen,
        };
        assert_eq!(independent(&[account(14, 5)], now), 1);
        assert_eq!(independent(&[account(13, 5), account(14, 4)], now), 0);
    }
}
