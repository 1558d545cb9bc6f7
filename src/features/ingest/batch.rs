//! The accepted events of one request, and what became of them.

use crate::domain::events::ValidEvent;
use crate::domain::log_header::LogHeader;
use crate::domain::trust::{Reporter, Sides};

/// An event that is accepted, with the sides for which its log speaks.
#[derive(Debug, Clone)]
pub(super) struct Accepted {
    pub event: ValidEvent,
    pub sides: Sides,
}

/// The accepted events of one request.
#[derive(Clone)]
pub(super) struct Batch {
    pub reporter: Reporter,
    /// The log that the events come from, if the sender named it.
    pub log: Option<LogHeader>,
    pub events: Vec<Accepted>,
}

impl Batch {
    /// Whether the log comes from the LIVE channel, or from an unknown one.
    pub fn is_live(&self) -> bool {
        self.log.as_ref().is_none_or(LogHeader::is_live)
    }
}

/// What became of a batch.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    pub accepted: usize,
    /// Events that were stored before, by this or by another account.
    pub duplicates: usize,
    /// Events that the owners of their players do not share.
    pub dropped: usize,
    /// Whether a patch is adopted now, so that stored events of it count.
    pub adopts_patch: bool,
}
