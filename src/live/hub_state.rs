//! The state that a hub and its subscriptions share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use slab::Slab;

use super::ring::{Ring, Topic, message_id, state_id};
use super::states::States;

/// Locked for short steps only: by each publication, and by each subscription that reads.
#[derive(Default)]
pub(super) struct HubState {
    pub(super) ring: Ring,
    /// The newest event whose messages are in the ring.
    pub(super) last_event: i64,
    /// The newest event known to be committed by any process. Ids after it come from another database.
    pub(super) newest_known_event: i64,
    /// By topic. Each subscription knows its keys, so unsubscribing takes constant time.
    pub(super) subscribers: HashMap<Topic, Slab<Arc<Subscriber>>>,
    pub(super) subscriber_count: usize,
    pub(super) states: States,
    /// Counts retractions. A state computed before one must not be published after it.
    pub(super) epoch: u64,
    /// The newest message id when a state id was last assigned, and the number of that state id.
    last_state_number: (i64, i64),
    pub(super) is_closed: bool,
    pub(super) heartbeat: u64,
}

impl HubState {
    /// The newest id that a subscriber without a backlog has seen.
    pub(super) fn newest_id(&self) -> i64 {
        self.ring.last_id().max(message_id(self.last_event, 0))
    }

    pub(super) fn next_state_id(&mut self) -> i64 {
        let newest = self.newest_id();
        let nth = if self.last_state_number.0 == newest { self.last_state_number.1 + 1 } else { 1 };
        self.last_state_number = (newest, nth);
        state_id(newest, nth)
    }

    pub(super) fn retract_all(&mut self) {
        self.epoch += 1;
        self.states.retract_all();
    }

    /// Adds a subscriber to these topics. Returns its key in each of them.
    pub(super) fn add(&mut self, topics: &[Topic], subscriber: &Arc<Subscriber>) -> Vec<usize> {
        self.subscriber_count += 1;
        topics.iter().map(|topic| self.subscribers.entry(*topic).or_default().insert(Arc::clone(subscriber))).collect()
    }

    /// Removes a subscriber in constant time. States of topics without subscribers are dropped.
    pub(super) fn remove(&mut self, topics: &[Topic], keys: &[usize]) {
        for (topic, key) in topics.iter().zip(keys) {
            let Some(subscribers) = self.subscribers.get_mut(topic) else { continue };
            subscribers.try_remove(*key);
            if subscribers.is_empty() {
                self.subscribers.remove(topic);
                self.states.remove(*topic);
            }
        }
        self.subscriber_count -= 1;
    }

    pub(super) fn wake_all(&self) {
        for subscriber in self.subscribers.values().flatten() {
            subscriber.1.wake();
        }
    }

    /// Wakes the subscribers of these topics.
    pub(super) fn wake(&self, mut topics: Vec<Topic>) {
        topics.sort_unstable();
        topics.dedup();
        for (_, subscriber) in topics.iter().filter_map(|t| self.subscribers.get(t)).flatten() {
            subscriber.wake();
        }
    }
}

#[derive(Default)]
pub(super) struct Subscriber {
    pub(super) waker: Mutex<Option<Waker>>,
}

impl Subscriber {
    fn wake(&self) {
        if let Some(waker) = lock(&self.waker).take() {
            waker.wake();
        }
    }
}

// A poisoned lock means a panic elsewhere; the state itself is consistent after every statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
