//! When a patch that accounts report is adopted.

use crate::domain::patches::Patch;
use crate::domain::times::DAY_MS;

/// The time within which accounts have to report a new patch, by arrival.
pub const REPORT_WINDOW_MS: i64 = 2 * DAY_MS;
/// An account is active if it uploaded within this number of days.
pub const ACTIVE_DAYS: i32 = 7;

/// Whether a patch can follow the newest known one: at most two minor versions later, or the first or second release of the next
/// major version. Older patches are always possible.
pub fn is_possible_successor(newest: i64, version: i64) -> bool {
    let (newest_major, newest_minor, _) = Patch::parts(newest);
    let (major, minor, _) = Patch::parts(version);
    version <= newest
        || (major == newest_major && minor <= newest_minor + 2)
        || (major == newest_major + 1 && minor <= 1)
}

/// The number of accounts that have to report a patch: three, or two where fewer than three are active.
pub fn required_reports(active: usize) -> usize {
    active.clamp(2, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_follow_in_small_steps() {
        let version = |name: &str| Patch::parse(name).unwrap().version();
        let follows = |name: &str| is_possible_successor(version("4.7.0"), version(name));
        for name in ["4.7.1", "4.8.0", "4.9.3", "5.0.0", "5.1", "4.6.0", "3.18"] {
            assert!(follows(name), "{name}");
        }
        for name in ["4.10.0", "4.99.0", "5.2.0", "6.0.0", "999.9"] {
            assert!(!follows(name), "{name}");
        }
    }

    #[test]
    fn two_accounts_suffice_where_fewer_than_three_are_active() {
        assert_eq!([0, 2, 3, 50].map(required_reports), [2, 2, 3, 3]);
    }
}
