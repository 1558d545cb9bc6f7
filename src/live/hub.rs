//! Takes messages in the order of their ids and wakes the readers of their topics.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use bytes::Bytes;
use slab::Slab;

use super::ring::{Message, Ring, Topic, message_id, position_of, state_id};
use super::states::{StateUpdate, States};
use super::subscription::Subscription;

/// A message to be published; its id is given by the hub.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// The SSE event name.
    pub name: &'static str,
    pub topics: Vec<Topic>,
    /// One line of JSON.
    pub json: String,
}

/// Where a new subscription begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// With what comes from now on.
    Now,
    /// After the message with this id.
    After(i64),
    /// After an id that no stream of this site gives.
    Unknown,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) ring: Ring,
    /// The newest event whose messages are in the ring.
    last_event: i64,
    /// An event that is known to be committed somewhere, so that readers who have seen it come from no other database.
    known_event: i64,
    /// By topic; each subscription knows its key, so that it leaves in constant time.
    readers: HashMap<Topic, Slab<Arc<Reader>>>,
    reader_count: usize,
    pub(super) states: States,
    /// How often something was taken back: what was read before that must not be published any more.
    epoch: u64,
    /// The newest message id when state ids were last given, and how many follow it.
    numbered: (i64, i64),
    pub(super) is_closed: bool,
    pub(super) heartbeat: u64,
}

impl State {
    /// The id up to which a reader that has read everything has seen all messages.
    pub(super) fn newest_id(&self) -> i64 {
        self.ring.last_id().max(message_id(self.last_event, 0))
    }

    pub(super) fn next_state_id(&mut self) -> i64 {
        let newest = self.newest_id();
        let nth = if self.numbered.0 == newest { self.numbered.1 + 1 } else { 1 };
        self.numbered = (newest, nth);
        state_id(newest, nth)
    }

    fn take_back(&mut self) {
        self.epoch += 1;
        self.states.take_back();
    }
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) waker: Mutex<Option<Waker>>,
}

impl Reader {
    fn wake(&self) {
        if let Some(waker) = lock(&self.waker).take() {
            waker.wake();
        }
    }
}

// A poisoned lock means a panic elsewhere; the state itself is always whole between two statements.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The meeting point of publishers and readers. Publishing never waits for a reader.
#[derive(Clone, Default)]
pub struct Hub {
    state: Arc<Mutex<State>>,
}

impl Hub {
    /// A hub whose next message belongs to an event after `last_event`.
    pub fn starting_after(last_event: i64) -> Self {
        let hub = Self::default();
        let mut state = lock(&hub.state);
        state.last_event = last_event;
        state.ring.start_at(message_id(last_event, 0));
        drop(state);
        hub
    }

    /// Fills a new hub with events from before it started, oldest first: `(event id, message)`.
    pub fn refill(&self, before: i64, messages: Vec<(i64, Outgoing)>) {
        let mut state = lock(&self.state);
        state.ring.start_at(message_id(before, 0));
        for (event_id, outgoing) in messages {
            state.ring.push(to_message(message_id(event_id, 0), outgoing));
        }
    }

    /// Goes on after an event that was not heard of in order; everybody has to fetch anew.
    pub fn jump(&self, last_event: i64) {
        let mut state = lock(&self.state);
        state.last_event = state.last_event.max(last_event);
        let place = state.newest_id();
        state.ring.start_at(place);
        state.take_back();
        wake_all(&state);
    }

    /// The newest event whose messages are in the ring.
    pub fn last_event(&self) -> i64 {
        lock(&self.state).last_event
    }

    /// Notes that this event is committed, though its messages may still be on their way here.
    pub fn expect(&self, event_id: i64) {
        let mut state = lock(&self.state);
        state.known_event = state.known_event.max(event_id);
    }

    /// Publishes the messages of committed events up to `last`, each with its event's id. Called in the order of commits.
    pub fn publish(&self, last: i64, messages: Vec<(i64, Outgoing)>) {
        let mut state = lock(&self.state);
        let mut woken = Vec::new();
        for (event_id, outgoing) in messages {
            woken.extend_from_slice(&outgoing.topics);
            state.ring.push(to_message(message_id(event_id, 0), outgoing));
        }
        state.last_event = state.last_event.max(last);
        wake(&state, woken);
    }

    /// Publishes what follows from an event, each message with its number among all that do.
    pub fn follow(&self, event_id: i64, messages: Vec<(i64, Outgoing)>) {
        let mut state = lock(&self.state);
        let mut woken = Vec::new();
        for (nth, outgoing) in messages {
            woken.extend_from_slice(&outgoing.topics);
            state.ring.push(to_message(message_id(event_id, nth), outgoing));
        }
        wake(&state, woken);
    }

    /// Counts what was taken back; to be read before the figures of an update, and handed to [`Hub::publish_states`].
    pub fn epoch(&self) -> u64 {
        lock(&self.state).epoch
    }

    /// Publishes the current states of topics that have readers. Only the newest state of a topic is kept: a reader that
    /// missed one gets the next one whole. False, and nothing happens, when something was taken back since `epoch`.
    pub fn publish_states(&self, epoch: u64, updates: Vec<StateUpdate>) -> bool {
        let mut state = lock(&self.state);
        if state.epoch != epoch {
            return false;
        }
        let mut woken = Vec::new();
        for update in updates {
            // Without readers it would be out of date by the time the first one comes.
            if state.readers.contains_key(&update.topic) {
                woken.push(update.topic);
                let id = state.next_state_id();
                state.states.put(id, update);
            }
        }
        wake(&state, woken);
        true
    }

    /// Whether a topic's current state has to be published again for those who have none yet.
    pub fn lacks_state(&self, topic: Topic) -> bool {
        !lock(&self.state).states.has(topic)
    }

    /// Takes the messages of a topic back, after something in them must not be shown any more: streams that showed them, or
    /// were about to, begin anew with a `reset`. States of all topics have to be published again.
    pub fn remove(&self, topic: Topic) {
        let mut state = lock(&self.state);
        state.ring.remove(topic);
        state.take_back();
        wake_all(&state);
    }

    pub fn has_readers(&self, topic: Topic) -> bool {
        lock(&self.state).readers.contains_key(&topic)
    }

    /// How many subscriptions are open.
    pub fn reader_count(&self) -> usize {
        lock(&self.state).reader_count
    }

    /// Sends a heartbeat to every reader, so that neither proxies nor dead peers keep a line open.
    pub fn beat(&self) {
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

    /// Begins to read. A place that the ring does not reach begins with a `reset`. Who comes back gets the current state of
    /// topics that have one; for others see [`Subscription::with_states_of`].
    pub fn subscribe(&self, mut topics: Vec<Topic>, resume: Resume) -> Subscription {
        topics.sort_unstable();
        topics.dedup();
        let reader = Arc::new(Reader::default());
        let mut state = lock(&self.state);
        let newest = state.newest_id();
        let (place, after_id) = match resume {
            Resume::Now => (Some(state.ring.newest()), newest),
            // An id from the future is from another database.
            Resume::After(id) if position_of(id) > state.last_event.max(state.known_event) => (None, newest),
            Resume::After(id) => (state.ring.place_after(id, &topics), id),
            Resume::Unknown => (None, newest),
        };
        let keys =
            topics.iter().map(|topic| state.readers.entry(*topic).or_default().insert(Arc::clone(&reader))).collect();
        state.reader_count += 1;
        let is_reset = place.is_none();
        Subscription::new(
            (self.clone(), reader),
            (topics, keys),
            (place.unwrap_or(state.ring.newest()), if is_reset { newest } else { after_id }),
            &state,
            (is_reset, resume != Resume::Now),
        )
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Forgets a subscription, in a time that does not depend on how many there are.
    pub(super) fn leave(&self, topics: &[Topic], keys: &[usize]) {
        let mut state = lock(&self.state);
        for (topic, key) in topics.iter().zip(keys) {
            let Some(readers) = state.readers.get_mut(topic) else { continue };
            readers.try_remove(*key);
            if readers.is_empty() {
                state.readers.remove(topic);
                state.states.forget(*topic);
            }
        }
        state.reader_count -= 1;
    }
}

fn to_message(id: i64, outgoing: Outgoing) -> Message {
    let frame = Bytes::from(format!("id: {id}\nevent: {}\ndata: {}\n\n", outgoing.name, outgoing.json));
    Message { id, topics: outgoing.topics, frame }
}

fn wake_all(state: &State) {
    for reader in state.readers.values().flatten() {
        reader.1.wake();
    }
}

fn wake(state: &State, mut topics: Vec<Topic>) {
    topics.sort_unstable();
    topics.dedup();
    for (_, reader) in topics.iter().filter_map(|t| state.readers.get(t)).flatten() {
        reader.wake();
    }
}
