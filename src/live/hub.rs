//! The hub: receives messages in the order of their ids and wakes the subscribers of their topics.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use bytes::Bytes;
use slab::Slab;

use super::ring::{Message, Ring, Topic, event_id_of, message_id, state_id};
use super::states::{StateUpdate, States};
use super::subscription::Subscription;

/// A message to publish. The hub assigns its id.
#[derive(Debug, Clone)]
pub struct OutgoingMessage {
    /// The SSE event name.
    pub name: &'static str,
    pub topics: Vec<Topic>,
    /// One line of JSON.
    pub json: String,
}

/// Where a new subscription begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// With the next message.
    Now,
    /// After the message with this id.
    After(i64),
    /// After an id that is not valid; begins with a `reset`.
    Unknown,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) ring: Ring,
    /// The newest event whose messages are in the ring.
    last_event: i64,
    /// The newest event known to be committed by any process. Ids after it come from another database.
    newest_known_event: i64,
    /// By topic. Each subscription knows its keys, so unsubscribing takes constant time.
    subscribers: HashMap<Topic, Slab<Arc<Subscriber>>>,
    subscriber_count: usize,
    pub(super) states: States,
    /// Counts retractions. A state computed before one must not be published after it.
    epoch: u64,
    /// The newest message id when a state id was last assigned, and the number of that state id.
    last_state_number: (i64, i64),
    pub(super) is_closed: bool,
    pub(super) heartbeat: u64,
}

impl State {
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

    fn retract_all(&mut self) {
        self.epoch += 1;
        self.states.retract_all();
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

/// Connects publishers and subscribers. Publishing never waits for a subscriber.
#[derive(Clone, Default)]
pub struct Hub {
    state: Arc<Mutex<State>>,
}

impl Hub {
    /// Creates a hub whose next message belongs to an event after `last_event`.
    pub fn starting_after(last_event: i64) -> Self {
        let hub = Self::default();
        let mut state = lock(&hub.state);
        state.last_event = last_event;
        state.ring.start_at(message_id(last_event, 0));
        drop(state);
        hub
    }

    /// Fills a new hub with `(event id, message)` of events before its start, oldest first.
    pub fn refill(&self, before: i64, messages: Vec<(i64, OutgoingMessage)>) {
        let mut state = lock(&self.state);
        state.ring.start_at(message_id(before, 0));
        for (event_id, outgoing) in messages {
            state.ring.push(to_message(message_id(event_id, 0), outgoing));
        }
    }

    /// Continues after `last_event` when earlier messages are missing. All subscribers receive a `reset`.
    pub fn reset_to(&self, last_event: i64) {
        let mut state = lock(&self.state);
        state.last_event = state.last_event.max(last_event);
        let newest = state.newest_id();
        state.ring.start_at(newest);
        state.retract_all();
        wake_all(&state);
    }

    /// The newest event whose messages are in the ring.
    pub fn last_event(&self) -> i64 {
        lock(&self.state).last_event
    }

    /// Records that an event is committed although its messages may not have arrived yet.
    pub fn mark_committed(&self, event_id: i64) {
        let mut state = lock(&self.state);
        state.newest_known_event = state.newest_known_event.max(event_id);
    }

    /// Publishes `(event id, message)` of the committed events up to `last`. Called in commit order.
    pub fn publish(&self, last: i64, messages: Vec<(i64, OutgoingMessage)>) {
        let mut state = lock(&self.state);
        let mut affected_topics = Vec::new();
        for (event_id, outgoing) in messages {
            affected_topics.extend_from_slice(&outgoing.topics);
            state.ring.push(to_message(message_id(event_id, 0), outgoing));
        }
        state.last_event = state.last_event.max(last);
        wake(&state, affected_topics);
    }

    /// Publishes messages derived from an event, each with its number among them.
    pub fn publish_derived(&self, event_id: i64, messages: Vec<(i64, OutgoingMessage)>) {
        let mut state = lock(&self.state);
        let mut affected_topics = Vec::new();
        for (nth, outgoing) in messages {
            affected_topics.extend_from_slice(&outgoing.topics);
            state.ring.push(to_message(message_id(event_id, nth), outgoing));
        }
        wake(&state, affected_topics);
    }

    /// Returns the number of retractions. Read it before computing a state, and pass it to [`Hub::publish_states`].
    pub fn epoch(&self) -> u64 {
        lock(&self.state).epoch
    }

    /// Publishes the current states of topics with subscribers. The hub stores only the newest state of a topic: a subscriber that
    /// missed one receives the next one complete. Returns false and publishes nothing after a retraction since `epoch`.
    pub fn publish_states(&self, epoch: u64, updates: Vec<StateUpdate>) -> bool {
        let mut state = lock(&self.state);
        if state.epoch != epoch {
            return false;
        }
        let mut affected_topics = Vec::new();
        for update in updates {
            // Without subscribers it would be outdated when the first one arrives.
            if state.subscribers.contains_key(&update.topic) {
                affected_topics.push(update.topic);
                let id = state.next_state_id();
                state.states.put(id, update);
            }
        }
        wake(&state, affected_topics);
        true
    }

    /// Returns whether the topic's current state has to be published for new subscribers.
    pub fn lacks_state(&self, topic: Topic) -> bool {
        !lock(&self.state).states.has(topic)
    }

    /// Removes the messages of a topic, because they contain something that must no longer be shown. Streams that include them
    /// receive a `reset`. The states of all topics have to be published again.
    pub fn retract(&self, topic: Topic) {
        let mut state = lock(&self.state);
        state.ring.retract(topic);
        state.retract_all();
        wake_all(&state);
    }

    pub fn has_subscribers(&self, topic: Topic) -> bool {
        lock(&self.state).subscribers.contains_key(&topic)
    }

    /// Number of open subscriptions.
    pub fn subscriber_count(&self) -> usize {
        lock(&self.state).subscriber_count
    }

    /// Sends a heartbeat to every subscriber, so proxies do not close idle connections and dead peers are detected.
    pub fn send_heartbeat(&self) {
        let mut state = lock(&self.state);
        state.heartbeat += 1;
        wake_all(&state);
    }

    /// Ends all subscriptions.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        wake_all(&state);
    }

    /// Subscribes to topics. A subscription that resumes where the ring does not reach begins with a `reset`. One that resumes
    /// receives the current states of its topics; for others see [`Subscription::with_states_of`].
    pub fn subscribe(&self, mut topics: Vec<Topic>, resume: Resume) -> Subscription {
        topics.sort_unstable();
        topics.dedup();
        let subscriber = Arc::new(Subscriber::default());
        let mut state = lock(&self.state);
        let newest = state.newest_id();
        let (seq, after_id) = match resume {
            Resume::Now => (Some(state.ring.newest_seq()), newest),
            // An id in the future comes from another database.
            Resume::After(id) if event_id_of(id) > state.last_event.max(state.newest_known_event) => (None, newest),
            Resume::After(id) => (state.ring.seq_after(id, &topics), id),
            Resume::Unknown => (None, newest),
        };
        let keys = topics
            .iter()
            .map(|topic| state.subscribers.entry(*topic).or_default().insert(Arc::clone(&subscriber)))
            .collect();
        state.subscriber_count += 1;
        let is_reset = seq.is_none();
        Subscription::new(
            (self.clone(), subscriber),
            (topics, keys),
            (seq.unwrap_or(state.ring.newest_seq()), if is_reset { newest } else { after_id }),
            &state,
            (is_reset, resume != Resume::Now),
        )
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Removes a subscription in constant time.
    pub(super) fn unsubscribe(&self, topics: &[Topic], keys: &[usize]) {
        let mut state = lock(&self.state);
        for (topic, key) in topics.iter().zip(keys) {
            let Some(subscribers) = state.subscribers.get_mut(topic) else { continue };
            subscribers.try_remove(*key);
            if subscribers.is_empty() {
                state.subscribers.remove(topic);
                state.states.remove(*topic);
            }
        }
        state.subscriber_count -= 1;
    }
}

fn to_message(id: i64, outgoing: OutgoingMessage) -> Message {
    let frame = Bytes::from(format!("id: {id}\nevent: {}\ndata: {}\n\n", outgoing.name, outgoing.json));
    Message { id, topics: outgoing.topics, frame }
}

fn wake_all(state: &State) {
    for subscriber in state.subscribers.values().flatten() {
        subscriber.1.wake();
    }
}

fn wake(state: &State, mut topics: Vec<Topic>) {
    topics.sort_unstable();
    topics.dedup();
    for (_, subscriber) in topics.iter().filter_map(|t| state.subscribers.get(t)).flatten() {
        subscriber.wake();
    }
}
