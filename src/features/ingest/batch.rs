//! The events of one request.

use crate::domain::events::ValidEvent;
use crate::domain::trust::{LogHeader, Reporter};

/// Validated events of one sender.
#[derive(Clone)]
pub struct Batch {
    pub reporter: Reporter,
    pub events: Vec<ValidEvent>,
    /// The log that the events come from, if the sender named it.
    pub log: Option<LogHeader>,
}
