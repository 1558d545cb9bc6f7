//! The download of a roster, and checks of its plausibility.

use super::MainMembers;
use crate::domain::names::GuildTag;
use crate::store::guilds::GuildRow;
use crate::store::rosters::RosterRow;
use crate::upstream::game_site::MembersPage;

/// The maximum number of pages per guild, about 10,000 members.
const MAX_PAGES: u32 = 320;

/// The content of a member list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Roster {
    pub main: MainMembers,
    pub affiliates: i64,
    /// Redacted and hidden members.
    pub unnamed: i64,
    /// The number of all members, as the site counts.
    pub total: i64,
    /// Rows of all pages. A member on two pages counts twice.
    rows: i64,
    pub is_partial: bool,
}

impl Roster {
    /// Checks the number of rows against the site's count. An empty list is an error of the site, since an organization has at
    /// least its founder.
    pub fn validate(&self) -> Result<(), &'static str> {
        if self.total == 0 || self.rows == 0 {
            return Err("the list is empty");
        }
        // Members join and leave while the pages are read.
        let tolerance = (self.total / 50).max(2);
        if !self.is_partial && (self.rows - self.total).abs() > tolerance {
            return Err("the number of rows differs from the site's count");
        }
        Ok(())
    }
}

/// The download of one guild's roster.
#[derive(Debug)]
pub(super) struct RosterDownload {
    pub guild: GuildRow,
    pub tag: GuildTag,
    /// Epoch milliseconds.
    pub began_at: i64,
    /// From 1.
    pub next_page: u32,
    pub roster: Roster,
    pub is_complete: bool,
    /// The result of the previous download, if it needs confirmation.
    pub first: Option<Roster>,
    /// Failed calls during this download.
    pub failures: u32,
}

impl RosterDownload {
    pub fn new(guild: GuildRow, tag: GuildTag, began_at: i64) -> Self {
        let roster = Roster::default();
        Self { guild, tag, began_at, next_page: 1, roster, is_complete: false, first: None, failures: 0 }
    }

    /// Starts again, to confirm the result.
    pub fn restart(self, now: i64) -> Self {
        let first = Some(self.roster);
        Self { first, ..Self::new(self.guild, self.tag, now) }
    }

    pub fn add_page(&mut self, page: MembersPage) {
        let is_last = page.is_last(self.next_page);
        let roster = &mut self.roster;
        roster.total = page.total.into();
        roster.unnamed += i64::from(page.unnamed);
        roster.rows += page.members.len() as i64 + i64::from(page.unnamed);
        for member in page.members {
            if member.affiliate {
                roster.affiliates += 1;
            } else {
                roster.main.insert(member.handle.folded(), member.rank);
            }
        }
        roster.is_partial = !is_last && self.next_page >= MAX_PAGES;
        self.is_complete = is_last || roster.is_partial;
        self.next_page += 1;
    }
}

/// Whether `to` is smaller than `from` by more than a fifth.
const fn has_shrunk(from: i64, to: i64) -> bool {
    (from - to) * 5 > from
}

/// Whether a second download must confirm this one: the list shrank by more than a fifth, or more than a fifth of the guild's
/// players would leave.
pub(super) fn is_suspicious(
    roster: &Roster,
    known: &RosterRow,
    site_member_count: Option<i64>,
    leaving: i64,
    present: i64,
) -> bool {
    has_shrunk(known.main_members, roster.main.len() as i64)
        || has_shrunk(known.total, roster.total)
        || has_shrunk(site_member_count.unwrap_or(0), roster.total)
        || has_shrunk(present, present - leaving)
}

/// Whether two downloads agree on names and counts, up to a fifth.
pub(super) fn do_agree(first: &Roster, second: &Roster) -> bool {
    let shared = first.main.keys().filter(|handle| second.main.contains_key(*handle)).count() as i64;
    let named = |roster: &Roster| roster.main.len() as i64;
    !has_shrunk(named(first), shared)
        && !has_shrunk(named(second), shared)
        && !has_shrunk(first.total, second.total)
        && !has_shrunk(second.total, first.total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(handles: std::ops::Range<u32>, total: i64) -> Roster {
        let main: MainMembers = handles.map(|n| (format!("pilot-{n}"), None)).collect();
        Roster { rows: total, total, main, ..Roster::default() }
    }

    fn known(main_members: i64, total: i64) -> RosterRow {
        RosterRow { main_members, total, ..RosterRow::default() }
    }

    #[test]
    fn a_list_that_shrinks_by_more_than_a_fifth_needs_confirmation() {
        assert!(!is_suspicious(&roster(0..80, 80), &known(100, 100), Some(100), 20, 100));
        assert!(is_suspicious(&roster(0..79, 100), &known(100, 100), None, 0, 0), "named members");
        assert!(is_suspicious(&roster(0..100, 79), &known(100, 100), None, 0, 0), "members as counted");
        assert!(is_suspicious(&roster(0..10, 79), &known(0, 0), Some(100), 0, 0), "against the guild's own page");
        assert!(is_suspicious(&roster(0..10, 10), &known(0, 0), None, 3, 10), "players that would leave");
        assert!(!is_suspicious(&roster(0..500, 500), &known(100, 100), Some(100), 0, 100), "growth is believed");
        assert!(!is_suspicious(&roster(0..10, 10), &known(0, 0), None, 0, 0), "the first list of a guild");
    }

    #[test]
    fn two_downloads_agree_if_they_name_the_same_members() {
        assert!(do_agree(&roster(0..50, 50), &roster(5..55, 50)));
        assert!(!do_agree(&roster(0..50, 50), &roster(20..70, 50)), "as many, but others");
        assert!(!do_agree(&roster(0..50, 50), &roster(0..50, 90)));
        assert!(do_agree(&roster(0..0, 40), &roster(0..0, 41)), "all redacted");
    }

    #[test]
    fn an_empty_or_truncated_list_is_rejected() {
        assert!(roster(0..0, 0).validate().is_err());
        assert!(roster(0..64, 64).validate().is_ok());
        let cut = Roster { rows: 32, ..roster(0..32, 64) };
        assert!(cut.validate().is_err());
        assert!(Roster { is_partial: true, ..cut }.validate().is_ok());
        assert!(Roster { rows: 62, ..roster(0..62, 64) }.validate().is_ok(), "two left in the meantime");
    }
}
