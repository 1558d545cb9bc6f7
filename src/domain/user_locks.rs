//! One asynchronous lock per user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The locks of all users; clones share them. A lock exists while it is held or waited for.
#[derive(Debug, Clone, Default)]
pub struct UserLocks {
    by_user: Arc<Mutex<HashMap<i64, Weak<AsyncMutex<()>>>>>,
}

impl UserLocks {
    /// Acquires the lock of a user. Waiters acquire it in the order of their calls.
    pub async fn lock(&self, user_id: i64) -> OwnedMutexGuard<()> {
        self.of(user_id).lock_owned().await
    }

    fn of(&self, user_id: i64) -> Arc<AsyncMutex<()>> {
        let mut by_user = self.by_user.lock().unwrap_or_else(PoisonError::into_inner);
        by_user.retain(|_, lock| lock.strong_count() > 0);
        by_user.get(&user_id).and_then(Weak::upgrade).unwrap_or_else(|| {
            let lock = Arc::default();
            by_user.insert(user_id, Arc::downgrade(&lock));
            lock
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lock_is_exclusive_and_removed_after_its_last_holder() {
        let locks = UserLocks::default();
        let held = locks.lock(1).await;
        let _other = locks.lock(2).await;
        assert!(locks.of(1).try_lock().is_err());
        drop(held);
        drop(locks.lock(1).await);
        drop(locks.lock(3).await);
        assert_eq!(locks.by_user.lock().unwrap().len(), 2, "the locks of users 2 and 3");
    }
}
