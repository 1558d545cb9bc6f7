//! Rules for reports of events: whose log counts for what, how much one account can report, and which patches are adopted.

mod decide;
mod limits;
mod moderation;
mod patches;
mod reporter;
mod share;
mod sides;
mod state;

pub use decide::{Activity, Rejection, Source, decide};
pub use limits::{LONGEST_WINDOW_MS, Limit, Limited, TrustRules};
pub use moderation::{Action, Target};
pub use patches::{ACTIVE_DAYS, REPORT_WINDOW_MS, is_possible_successor, required_reports};
pub use reporter::{Account, Reporter};
pub use share::share;
pub use sides::Sides;
pub use state::{Removal, ReportState};
