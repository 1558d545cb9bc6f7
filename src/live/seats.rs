//! Who may open one more stream: so many in all, so many from one address and of one account.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Open files that are kept for everything but streams.
const KEPT_BACK: usize = 1_000;

/// Which limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    Site,
    Address,
    Account,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    Address(IpAddr),
    Account(i64),
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<Who, usize>,
}

/// The seats of one process.
#[derive(Debug, Clone)]
pub struct Seats {
    taken: Arc<Mutex<Taken>>,
    all: usize,
    per_address: usize,
    per_account: usize,
}

impl Seats {
    /// As many as are given, but never more than the system allows this process open files.
    pub fn new(all: usize, per_address: usize, per_account: usize) -> Self {
        let all = open_files().map_or(all, |files| all.min(files.saturating_sub(KEPT_BACK)));
        Self { taken: Arc::default(), all, per_address, per_account }
    }

    /// Takes a seat until the answer is dropped.
    pub fn take(&self, address: Option<IpAddr>, account: Option<i64>) -> Result<Seat, Full> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= self.all {
            return Err(Full::Site);
        }
        let count = |who: Option<Who>| who.and_then(|who| taken.by.get(&who)).copied().unwrap_or(0);
        let who = [address.map(Who::Address), account.map(Who::Account)];
        if count(who[0]) >= self.per_address {
            return Err(Full::Address);
        }
        if count(who[1]) >= self.per_account {
            return Err(Full::Account);
        }
        taken.all += 1;
        for who in who.into_iter().flatten() {
            *taken.by.entry(who).or_default() += 1;
        }
        Ok(Seat { taken: Arc::clone(&self.taken), who })
    }
}

/// A taken seat.
#[derive(Debug)]
pub struct Seat {
    taken: Arc<Mutex<Taken>>,
    who: [Option<Who>; 2],
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        for who in self.who.into_iter().flatten() {
            if let Some(count) = taken.by.get_mut(&who) {
                *count -= 1;
                if *count == 0 {
                    taken.by.remove(&who);
                }
            }
        }
    }
}

/// How many files this process may have open, where the system tells (Linux).
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_holds_and_a_seat_that_is_left_is_free() {
        let seats = Seats::new(4, 2, 1);
        let (here, there): (IpAddr, IpAddr) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let first = seats.take(Some(here), Some(7)).unwrap();
        assert_eq!(seats.take(Some(there), Some(7)).unwrap_err(), Full::Account);
        let second = seats.take(Some(here), None).unwrap();
        assert_eq!(seats.take(Some(here), None).unwrap_err(), Full::Address);
        let rest = (seats.take(Some(there), None).unwrap(), seats.take(None, None).unwrap());
        assert_eq!(seats.take(None, None).unwrap_err(), Full::Site);
        drop((first, second, rest));
        assert!(seats.take(Some(here), Some(7)).is_ok());
        assert!(seats.taken.lock().unwrap().by.is_empty());
    }
}
