//! Whether a report counts.

/// The bits of a state that tell what the report is by its log.
const ARRIVAL: i16 = 3;
/// The patch is newer than the newest adopted one.
const PATCH_NOT_ADOPTED: i16 = 1;
/// The log comes from another channel than LIVE.
const OTHER_CHANNEL: i16 = 2;

/// What an admin did to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i16)]
pub enum Removal {
    /// The report is removed.
    Removed = 4,
    /// The account or the key is blocked.
    Blocked = 8,
}

/// Whether a report counts, and if not, why, as it is stored: 0 counts, 1 waits for its patch, 2 another channel; 4 more if removed, 8 more
/// if blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReportState(i16);

impl ReportState {
    pub const COUNTED: Self = Self(0);

    /// The state of a report that no admin has acted on. `newest_patch` is the newest adopted version.
    pub fn on_arrival(is_live: bool, patch: Option<i64>, newest_patch: Option<i64>) -> Self {
        let is_newer = patch.zip(newest_patch).is_some_and(|(patch, newest)| patch > newest);
        match (is_live, is_newer) {
            (false, _) => Self(OTHER_CHANNEL),
            (true, true) => Self(PATCH_NOT_ADOPTED),
            (true, false) => Self::COUNTED,
        }
    }

    /// The stored value.
    pub fn code(self) -> i16 {
        self.0
    }

    /// Reads a stored value; an unknown one is blocked.
    pub fn from_code(code: i16) -> Self {
        Self(code)
    }

    pub fn is_counted(self) -> bool {
        self == Self::COUNTED
    }

    /// Whether feeds show the report.
    pub fn is_visible(self) -> bool {
        self.removal().is_none()
    }

    pub fn is_of_other_channel(self) -> bool {
        self.0 & OTHER_CHANNEL != 0
    }

    pub fn removal(self) -> Option<Removal> {
        match self.0 & !ARRIVAL {
            0 => None,
            4 => Some(Removal::Removed),
            _ => Some(Removal::Blocked),
        }
    }

    #[must_use]
    pub fn with_removal(self, removal: Option<Removal>) -> Self {
        Self((self.0 & ARRIVAL) | removal.map_or(0, |removal| removal as i16))
    }

    /// The state after the log of the report turns out to come from another channel.
    #[must_use]
    pub fn of_other_channel(self) -> Self {
        Self((self.0 & !ARRIVAL) | OTHER_CHANNEL)
    }

    /// The state after the patch of the report was adopted, or is adopted no longer.
    #[must_use]
    pub fn with_patch(self, is_adopted: bool) -> Self {
        match (self.is_of_other_channel(), is_adopted) {
            (true, _) => self,
            (false, true) => Self(self.0 & !PATCH_NOT_ADOPTED),
            (false, false) => Self(self.0 | PATCH_NOT_ADOPTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_keeps_what_its_log_tells_while_it_is_removed() {
        let states = [(true, Some(5), 0), (true, Some(9), 1), (false, Some(5), 2)];
        for (is_live, patch, code) in states {
            let state = ReportState::on_arrival(is_live, patch, Some(7));
            assert_eq!(state.code(), code);
            for removal in [None, Some(Removal::Removed), Some(Removal::Blocked)] {
                let removed = state.with_removal(removal);
                assert_eq!(ReportState::from_code(removed.code()), removed);
                assert_eq!(removed.with_removal(None), state);
                assert_eq!(removed.is_visible(), removed.code() < 4);
            }
        }
    }

    #[test]
    fn only_a_report_that_waits_for_its_patch_changes_with_it() {
        let of = |code| ReportState::from_code(code);
        assert_eq!([0, 1, 2, 5].map(|code| of(code).of_other_channel().code()), [2, 2, 2, 6]);
        assert_eq!([0, 1, 2, 5].map(|code| of(code).with_patch(true).code()), [0, 0, 2, 4]);
        assert_eq!([0, 1, 2, 4].map(|code| of(code).with_patch(false).code()), [1, 1, 2, 5]);
    }
}
