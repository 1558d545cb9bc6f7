//! How many streams one account may have open; how many an address may, the gate in front of all routes counts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Streams of one signed-in account at the same time, in one process.
const PER_ACCOUNT: usize = 20;

/// The open streams of accounts.
#[derive(Debug, Clone, Default)]
pub struct Seats {
    taken: Arc<Mutex<HashMap<i64, usize>>>,
}

impl Seats {
    /// Takes a seat until the answer is dropped; `None` when the account has too many.
    pub fn take(&self, account: i64) -> Option<Seat> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(account).or_default();
        if *count >= PER_ACCOUNT {
            return None;
        }
        *count += 1;
        Some(Seat { taken: Arc::clone(&self.taken), account })
    }
}

/// A taken seat.
#[derive(Debug)]
pub struct Seat {
    taken: Arc<Mutex<HashMap<i64, usize>>>,
    account: i64,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_so_many_streams_and_one_that_ends_makes_room() {
        let seats = Seats::default();
        let mut own: Vec<Seat> = (0..PER_ACCOUNT).map(|_| seats.take(7).unwrap()).collect();
        assert!(seats.take(7).is_none() && seats.take(8).is_some());
        own.pop();
        assert!(seats.take(7).is_some());
        drop(own);
        assert!(seats.taken.lock().unwrap().is_empty());
    }
}
