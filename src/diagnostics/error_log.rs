//! The newest errors, oldest first.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::domain::times::EpochMillis;

/// How many are kept.
const CAPACITY: usize = 50;

/// One error that somebody met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorEntry {
    pub at: EpochMillis,
    /// The code of the answer, or the name of the job.
    pub code: String,
    pub message: String,
    pub request_id: Option<String>,
    /// The route, not the address that was asked for.
    pub path: Option<String>,
}

/// A ring of errors; the oldest go first.
#[derive(Debug, Default)]
pub struct ErrorLog(Mutex<VecDeque<ErrorEntry>>);

impl ErrorLog {
    pub fn add(&self, note: ErrorEntry) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == CAPACITY {
            kept.pop_front();
        }
        kept.push_back(note);
    }

    /// Newest first.
    pub fn newest(&self) -> Vec<ErrorEntry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_errors_are_kept() {
        let errors = ErrorLog::default();
        for n in 0..60 {
            errors.add(ErrorEntry {
                at: EpochMillis(n),
                code: "INTERNAL".into(),
                message: n.to_string(),
                request_id: None,
                path: None,
            });
        }
        let kept = errors.newest();
        assert_eq!((kept.len(), kept[0].message.as_str(), kept[49].message.as_str()), (50, "59", "10"));
    }
}
