//! Applies changes in the order of their commits, from whichever thread or process they come.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::domain::sequencer::Sequencer;
use crate::store::changes::RecordedChange;

/// Changes on their way to the projections of this process. Each is applied once, in its turn; one that arrives early waits.
pub struct ChangeSequence {
    order: Mutex<Sequencer<RecordedChange>>,
    is_gap_reported: Mutex<bool>,
    gap_reported: Condvar,
    /// Whether a follower delivers the changes of other processes.
    is_followed: AtomicBool,
}

impl ChangeSequence {
    /// Starts with the change after this number.
    pub fn after(last: i64) -> Self {
        Self {
            order: Mutex::new(Sequencer::after(last)),
            is_gap_reported: Mutex::new(false),
            gap_reported: Condvar::new(),
            is_followed: AtomicBool::new(false),
        }
    }

    /// Waits for missing changes from now on, because a follower delivers them. Must be called before this process writes.
    pub fn set_followed(&self) {
        self.is_followed.store(true, Ordering::Release);
    }

    /// Applies these changes and those that waited for them, each in its turn and once. `apply` must not panic.
    ///
    /// Without a follower they are applied immediately: the process uses SQLite, whose one writer determines the order, or it is a
    /// command that loads a database. Changes that [`ChangeSequence::restart`] has covered are dropped.
    pub fn apply(&self, changes: impl IntoIterator<Item = RecordedChange>, mut apply: impl FnMut(&RecordedChange)) {
        let mut order = self.order();
        if self.is_followed.load(Ordering::Acquire) {
            changes.into_iter().for_each(|change| order.insert(change.position.id, change));
            // Under the lock, or a later change could overtake.
            while let Some(change) = order.pop() {
                apply(&change);
            }
        } else {
            let next = order.next_number();
            changes.into_iter().filter(|change| change.position.id >= next).for_each(|change| apply(&change));
        }
        let has_gap = order.has_gap();
        drop(order);
        if has_gap {
            *self.is_gap_reported.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.gap_reported.notify_all();
        }
    }

    /// Continues after the change whose number `build` returns, and applies those that waited behind it. Changes wait
    /// while `build` runs.
    pub fn restart<E>(
        &self,
        build: impl FnOnce() -> Result<i64, E>,
        mut apply: impl FnMut(&RecordedChange),
    ) -> Result<(), E> {
        let mut order = self.order();
        let last = build()?;
        order.skip_to(last);
        while let Some(change) = order.pop() {
            apply(&change);
        }
        Ok(())
    }

    /// Waits until a change is missing, or until the time is over.
    pub fn wait_for_gap(&self, timeout: Duration) {
        let reported = self.is_gap_reported.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.gap_reported.wait_timeout_while(reported, timeout, |reported| !*reported);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    /// The number of the change that is applied next.
    pub fn next(&self) -> i64 {
        self.order().next_number()
    }

    /// Whether a change waits for one that is missing.
    pub fn has_gap(&self) -> bool {
        self.order().has_gap()
    }

    /// Whether this change is applied already, or waits for its turn.
    pub fn has(&self, number: i64) -> bool {
        let order = self.order();
        number < order.next_number() || order.contains(number)
    }

    fn order(&self) -> MutexGuard<'_, Sequencer<RecordedChange>> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
