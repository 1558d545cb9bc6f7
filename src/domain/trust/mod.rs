//! Rules for reports of events: who reports, what a report is worth, and which patches are believed. One file per rule.

mod accounts;
mod assessment;
mod grade;
pub mod limits;
mod log_header;
mod moderation;
mod patches;
mod reasons;
mod reporter;
mod rules;
mod source;

pub use accounts::{AccountAge, independent};
pub use assessment::{Assessment, CountedSides, LogOwner, Provenance, Report, Voice, assess};
pub use grade::Grade;
pub use log_header::{LOG_HEADER, LogHeader, LogHeaderError, LogId, LogText};
pub use moderation::{Action, TargetKind};
pub use patches::{LIVE_WINDOW_MS, REPORT_WINDOW_MS, is_possible_successor, required_reports};
pub use reasons::{Reasons, State};
pub use reporter::{Reporter, Scope};
pub use rules::{TrustRules, Unclaimed};
pub use source::ReportSource;
