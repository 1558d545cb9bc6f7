//! The hub: receives messages in the order of their ids and wakes the subscribers of their topics.

use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::hub_state::{HubState, Subscriber, lock};
use super::ring::{Message, Topic, event_id_of, message_id};
use super::states::StateUpdate;
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

/// Connects publishers and subscribers. Publishing never waits for a subscriber.
#[derive(Clone, Default)]
pub struct Hub {
    state: Arc<Mutex<HubState>>,
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
        push(&mut state, messages.into_iter().map(|(event_id, outgoing)| (message_id(event_id, 0), outgoing)));
    }

    /// Continues after `last_event` when earlier messages are missing. All subscribers receive a `reset`.
    pub fn reset_to(&self, last_event: i64) {
        let mut state = lock(&self.state);
        state.last_event = state.last_event.max(last_event);
        let newest = state.newest_id();
        state.ring.start_at(newest);
        state.retract_all();
        state.wake_all();
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
        state.last_event = state.last_event.max(last);
        push(&mut state, messages.into_iter().map(|(event_id, outgoing)| (message_id(event_id, 0), outgoing)));
    }

    /// Publishes messages derived from an event, each with its number among them.
    pub fn publish_derived(&self, event_id: i64, messages: Vec<(i64, OutgoingMessage)>) {
        let messages = messages.into_iter().map(|(nth, outgoing)| (message_id(event_id, nth), outgoing));
        push(&mut lock(&self.state), messages);
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
        state.wake(affected_topics);
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
        state.wake_all();
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
        state.wake_all();
    }

    /// Ends all subscriptions.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        state.wake_all();
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
        let keys = state.add(&topics, &subscriber);
        let (is_reset, after_id) = (seq.is_none(), if seq.is_none() { newest } else { after_id });
        let seen = if resume == Resume::Now { Some(state.states.version()) } else { None };
        Subscription {
            hub: Arc::clone(&self.state),
            subscriber,
            seen: vec![seen; topics.len()].into(),
            topics: topics.into(),
            keys: keys.into(),
            put_count: None,
            seq: seq.unwrap_or(state.ring.newest_seq()),
            after_id,
            last_id: after_id,
            heartbeat: state.heartbeat,
            is_reset,
            has_begun: false,
            has_named_heartbeat: false,
            is_done: false,
        }
    }
}

/// Adds messages to the ring and wakes their subscribers.
fn push(state: &mut HubState, messages: impl Iterator<Item = (i64, OutgoingMessage)>) {
    let mut affected_topics = Vec::new();
    for (id, OutgoingMessage { name, topics, json }) in messages {
        affected_topics.extend_from_slice(&topics);
        let frame = Bytes::from(format!("id: {id}\nevent: {name}\ndata: {json}\n\n"));
        state.ring.push(Message { id, topics, frame });
    }
    state.wake(affected_topics);
}
