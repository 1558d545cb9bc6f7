//! Whether a report counts.

/// What a report is by its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i16)]
enum Arrival {
    Counted = 0,
    /// The patch is newer than the newest adopted one.
    PatchNotAdopted = 1,
    /// The log comes from another channel than LIVE.
    OtherChannel = 2,
}

/// What an admin did to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i16)]
pub enum Removal {
    /// The report is removed.
    Removed = 1,
    /// The account or the key is blocked.
    Blocked = 2,
}

/// Whether a report counts, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReportState {
    arrival: Arrival,
    removal: Option<Removal>,
}

impl ReportState {
    pub const COUNTED: Self = Self { arrival: Arrival::Counted, removal: None };

    /// The state of a report that no admin has acted on. `newest_patch` is the newest adopted version.
    pub fn on_arrival(is_live: bool, patch: Option<i64>, newest_patch: Option<i64>) -> Self {
        let is_newer = patch.zip(newest_patch).is_some_and(|(patch, newest)| patch > newest);
        let arrival = match (is_live, is_newer) {
            (false, _) => Arrival::OtherChannel,
            (true, true) => Arrival::PatchNotAdopted,
            (true, false) => Arrival::Counted,
        };
        Self { arrival, removal: None }
    }

    /// The stored value: 0 counts, 1 waits for its patch, 2 another channel; 4 more if removed, 8 more if blocked.
    pub fn code(self) -> i16 {
        self.arrival as i16 + 4 * self.removal.map_or(0, |removal| removal as i16)
    }

    /// Reads a stored value; an unknown one is blocked.
    pub fn from_code(code: i16) -> Self {
        let arrival = match code & 3 {
            0 => Arrival::Counted,
            1 => Arrival::PatchNotAdopted,
            _ => Arrival::OtherChannel,
        };
        let removal = match code >> 2 {
            0 => None,
            1 => Some(Removal::Removed),
            _ => Some(Removal::Blocked),
        };
        Self { arrival, removal }
    }

    pub fn is_counted(self) -> bool {
        self == Self::COUNTED
    }

    /// Whether feeds show the report.
    pub fn is_visible(self) -> bool {
        self.removal.is_none()
    }

    pub fn is_of_other_channel(self) -> bool {
        self.arrival == Arrival::OtherChannel
    }

    pub fn removal(self) -> Option<Removal> {
        self.removal
    }

    #[must_use]
    pub fn with_removal(self, removal: Option<Removal>) -> Self {
        Self { removal, ..self }
    }

    /// The state after the log of the report turns out to come from another channel.
    #[must_use]
    pub fn of_other_channel(self) -> Self {
        Self { arrival: Arrival::OtherChannel, ..self }
    }

    /// The state after the patch of the report was adopted.
    #[must_use]
    pub fn with_adopted_patch(self) -> Self {
        let arrival = if self.arrival == Arrival::PatchNotAdopted { Arrival::Counted } else { self.arrival };
        Self { arrival, ..self }
    }

    /// The state after the patch of the report is adopted no longer.
    #[must_use]
    pub fn without_adopted_patch(self) -> Self {
        let arrival = if self.arrival == Arrival::Counted { Arrival::PatchNotAdopted } else { self.arrival };
        Self { arrival, ..self }
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
        assert_eq!([0, 1, 2, 5].map(|code| of(code).with_adopted_patch().code()), [0, 0, 2, 4]);
        assert_eq!([0, 1, 2, 4].map(|code| of(code).without_adopted_patch().code()), [1, 1, 2, 5]);
    }
}
