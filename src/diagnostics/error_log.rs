//! A ring of the newest errors.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::domain::times::EpochMillis;

/// Number of errors in the ring.
const CAPACITY: usize = 50;

/// An error of a request or job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorEntry {
    pub at: EpochMillis,
    /// The code of the response, or the name of the job.
    pub code: String,
    pub message: String,
    pub request_id: Option<String>,
    /// The pattern of the route, not the requested path.
    pub path: Option<String>,
}

/// The newest errors; the oldest is evicted first.
#[derive(Debug, Default)]
pub struct ErrorLog(Mutex<VecDeque<ErrorEntry>>);

impl ErrorLog {
    pub fn add(&self, entry: ErrorEntry) {
        let mut errors = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if errors.len() == CAPACITY {
            errors.pop_front();
        }
        errors.push_back(entry);
    }

    /// Returns all errors, newest first.
    pub fn newest(&self) -> Vec<ErrorEntry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_errors_are_stored() {
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
        let newest = errors.newest();
        assert_eq!((newest.len(), newest[0].message.as_str(), newest[49].message.as_str()), (50, "59", "10"));
    }
}
