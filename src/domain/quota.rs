//! Limits on what is in progress at the same time: per key (an account or a client's network) and in total.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts what is in progress in this process: live streams, or bodies.
#[derive(Debug)]
pub struct Quota<K> {
    shared: Arc<Shared<K>>,
}

#[derive(Debug)]
struct Shared<K> {
    open: Mutex<InProgress<K>>,
    max_per_key: usize,
    max_total: usize,
}

#[derive(Debug)]
struct InProgress<K> {
    by_key: HashMap<K, usize>,
    /// Includes what has no key.
    total: usize,
}

/// The limit that one more would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaExceeded {
    PerKey,
    Total,
}

impl<K: Hash + Eq + Clone> Quota<K> {
    pub fn new(max_per_key: usize, max_total: usize) -> Self {
        let open = Mutex::new(InProgress { by_key: HashMap::new(), total: 0 });
        Self { shared: Arc::new(Shared { open, max_per_key, max_total }) }
    }

    /// Takes a permit. One without a key counts only toward the total.
    pub fn acquire(&self, key: Option<K>) -> Result<Permit<K>, QuotaExceeded> {
        let mut open = self.shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.total >= self.shared.max_total {
            return Err(QuotaExceeded::Total);
        }
        if let Some(key) = &key {
            let of_key = open.by_key.get(key).copied().unwrap_or_default();
            if of_key >= self.shared.max_per_key {
                return Err(QuotaExceeded::PerKey);
            }
            open.by_key.insert(key.clone(), of_key + 1);
        }
        open.total += 1;
        drop(open);
        Ok(Permit { shared: Arc::clone(&self.shared), key })
    }
}

/// Returned to the quota when dropped.
#[derive(Debug)]
pub struct Permit<K: Hash + Eq> {
    shared: Arc<Shared<K>>,
    key: Option<K>,
}

impl<K: Hash + Eq> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut open = self.shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.total -= 1;
        if let Some(key) = &self.key
            && let Some(of_key) = open.by_key.get_mut(key)
        {
            *of_key -= 1;
            if *of_key == 0 {
                open.by_key.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_limit_and_a_closed_stream_frees_its_permit() {
        let quota = Quota::new(20, usize::MAX);
        let mut permits: Vec<_> = (0..20).map(|_| quota.acquire(Some(7)).unwrap()).collect();
        assert_eq!(quota.acquire(Some(7)).unwrap_err(), QuotaExceeded::PerKey);
        assert!(quota.acquire(Some(8)).is_ok());
        permits.pop();
        assert!(quota.acquire(Some(7)).is_ok());
        drop(permits);
        let open = quota.shared.open.lock().unwrap();
        assert_eq!((open.total, open.by_key.len()), (0, 0));
    }

    #[test]
    fn all_streams_count_toward_the_total() {
        let quota = Quota::new(2, 3);
        let first = quota.acquire(Some("a")).unwrap();
        let _second = quota.acquire(Some("a")).unwrap();
        let _third = quota.acquire(None).unwrap();
        assert_eq!(quota.acquire(Some("b")).unwrap_err(), QuotaExceeded::Total);
        drop(first);
        assert!(quota.acquire(None).is_ok());
    }
}
