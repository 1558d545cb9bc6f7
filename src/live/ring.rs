//! The ring of recent messages, in publishing order.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;

/// Capacity of the ring.
pub const MAX_MESSAGES: usize = 16_384;

/// Ids between two messages for the states that one process publishes between them.
const STATE_IDS_PER_MESSAGE: i64 = 1 << 4;
/// Messages that may derive from one event.
const MESSAGES_PER_EVENT: i64 = 1 << 16;
/// Ids between two events. JavaScript parses ids as doubles, which are exact up to 8 billion events.
const IDS_PER_EVENT: i64 = MESSAGES_PER_EVENT * STATE_IDS_PER_MESSAGE;

/// Returns the id of the `nth` message of an event; the event itself is message 0.
pub fn message_id(event_id: i64, nth: i64) -> i64 {
    event_id * IDS_PER_EVENT + nth.min(MESSAGES_PER_EVENT - 1) * STATE_IDS_PER_MESSAGE
}

/// Returns the id of the `nth` state, from 1, after a message. It is smaller than the next message's id, so every process knows
/// which messages a subscriber with that id has seen.
pub fn state_id(message_id: i64, nth: i64) -> i64 {
    message_id + nth.min(STATE_IDS_PER_MESSAGE - 1)
}

/// Returns the event that a message or state id belongs to.
pub fn event_id_of(message_id: i64) -> i64 {
    message_id.div_euclid(IDS_PER_EVENT)
}

/// A topic such as `activity` or `player:abc`, stored as a hash of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Topic(u64);

impl Topic {
    pub fn new(name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// A published message in its serialized form.
#[derive(Debug, Clone)]
pub struct Message {
    /// The SSE id, the same in every process.
    pub id: i64,
    pub topics: Vec<Topic>,
    pub frame: Bytes,
}

/// Sequence number in this ring, and id.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    seq: u64,
    id: i64,
}

/// Messages in publishing order with non-decreasing ids. The oldest is evicted first.
#[derive(Debug, Default)]
pub struct Ring {
    messages: VecDeque<Message>,
    /// Number of messages ever pushed, which is the sequence number of the newest.
    pushed: u64,
    /// The newest evicted message of each topic.
    evicted: HashMap<Topic, Position>,
    /// Messages up to here cannot be replayed.
    floor: Position,
}

impl Ring {
    /// Adds a message. An id below that of the previous message is raised to it.
    pub fn push(&mut self, mut message: Message) {
        if self.messages.len() == MAX_MESSAGES
            && let Some(oldest) = self.messages.pop_front()
        {
            let position = Position { seq: self.pushed + 1 - MAX_MESSAGES as u64, id: oldest.id };
            self.record_evicted(&oldest.topics, position);
        }
        message.id = message.id.max(self.last_id());
        self.pushed += 1;
        self.messages.push_back(message);
    }

    fn record_evicted(&mut self, topics: &[Topic], position: Position) {
        for topic in topics {
            let newest = self.evicted.entry(*topic).or_default();
            *newest = Position { seq: newest.seq.max(position.seq), id: newest.id.max(position.id) };
        }
        // Bounds the map: a removed entry counts as evicted for all topics.
        if self.evicted.len() > MAX_MESSAGES {
            let newest = self
                .evicted
                .drain()
                .map(|(_, position)| position)
                .max_by_key(|position| position.seq)
                .unwrap_or(position);
            self.floor = newest;
        }
    }

    /// Clears the ring. Subscribers that resume before this id receive a `reset`.
    pub fn start_at(&mut self, id: i64) {
        self.messages.clear();
        self.evicted.clear();
        self.floor = Position { seq: self.pushed, id };
    }

    /// Removes the messages of a topic. Subscribers of any of their topics receive a `reset`, whether or not they received them.
    pub fn retract(&mut self, topic: Topic) {
        let mut topics: Vec<Topic> = Vec::new();
        for message in self.messages.iter_mut().filter(|message| message.topics.contains(&topic)) {
            message.frame = Bytes::new();
            topics.append(&mut message.topics);
        }
        topics.push(topic);
        topics.sort_unstable();
        topics.dedup();
        // A new sequence number, which no subscriber has passed yet.
        let id = self.last_id();
        self.push(Message { id, topics: Vec::new(), frame: Bytes::new() });
        self.record_evicted(&topics, Position { seq: self.pushed, id });
    }

    /// Returns whether a subscriber of these topics at this sequence number has missed nothing.
    pub fn covers(&self, seq: u64, topics: &[Topic]) -> bool {
        seq >= self.floor.seq && topics.iter().all(|t| self.evicted.get(t).is_none_or(|evicted| evicted.seq <= seq))
    }

    /// Returns the sequence number from which a subscriber that has everything up to this id can resume; `None` if it has missed
    /// messages.
    pub fn seq_after(&self, id: i64, topics: &[Topic]) -> Option<u64> {
        let covers =
            id >= self.floor.id && topics.iter().all(|t| self.evicted.get(t).is_none_or(|evicted| evicted.id <= id));
        let passed = self.messages.partition_point(|m| m.id <= id);
        covers.then(|| self.pushed - (self.messages.len() - passed) as u64)
    }

    /// Iterates over the messages after a sequence number, oldest first.
    pub fn after(&self, seq: u64) -> impl Iterator<Item = &Message> {
        let behind = usize::try_from(self.pushed.saturating_sub(seq)).unwrap_or(usize::MAX);
        self.messages.range(self.messages.len().saturating_sub(behind)..)
    }

    /// Sequence number of the newest message.
    pub fn newest_seq(&self) -> u64 {
        self.pushed
    }

    pub fn last_id(&self) -> i64 {
        self.messages.back().map_or(self.floor.id, |m| m.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: i64, topics: &[&str]) -> Message {
        let topics = topics.iter().map(|name| Topic::new(name)).collect();
        Message { id, topics, frame: Bytes::from_static(b"x") }
    }

    #[test]
    fn the_event_of_an_id_is_found() {
        assert_eq!(event_id_of(message_id(7, 0)), 7);
        assert_eq!(event_id_of(message_id(7, 70_000)), 7);
        assert!(message_id(8, 0) > message_id(7, 70_000));
        assert!(message_id(7, 4) > state_id(message_id(7, 3), 99) && event_id_of(state_id(message_id(7, 3), 99)) == 7);
    }

    #[test]
    fn a_subscriber_misses_messages_only_if_its_topics_were_evicted() {
        let (rare, busy) = ([Topic::new("rare")], [Topic::new("busy")]);
        let mut ring = Ring::default();
        ring.push(message(1, &["rare"]));
        for id in 2..=MAX_MESSAGES as i64 {
            ring.push(message(id, &["busy"]));
        }
        assert_eq!((ring.seq_after(0, &rare), ring.covers(0, &rare)), (Some(0), true));
        ring.push(message(MAX_MESSAGES as i64 + 1, &["busy"]));
        assert_eq!((ring.seq_after(0, &rare), ring.covers(0, &rare)), (None, false));
        assert_eq!((ring.seq_after(1, &rare), ring.covers(1, &rare)), (Some(1), true));
        assert_eq!((ring.seq_after(1, &busy), ring.after(1).count()), (Some(1), MAX_MESSAGES));
    }

    #[test]
    fn nothing_is_replayed_from_before_the_start() {
        let busy = [Topic::new("busy")];
        let mut ring = Ring::default();
        ring.push(message(3, &["busy"]));
        ring.start_at(50);
        assert_eq!((ring.seq_after(49, &busy), ring.seq_after(50, &busy)), (None, Some(1)));
        assert!(!ring.covers(0, &busy) && ring.covers(1, &busy));
        assert_eq!(ring.last_id(), 50);
    }

    #[test]
    fn a_retraction_resets_only_its_own_subscribers() {
        let mut ring = Ring::default();
        ring.push(message(1, &["all", "ann"]));
        ring.push(message(2, &["all", "bob"]));
        ring.push(message(3, &["all", "ann"]));
        ring.retract(Topic::new("bob"));
        let (all, ann, bob) = ([Topic::new("all")], [Topic::new("ann")], [Topic::new("bob")]);
        assert!((0..=3).all(|seq| !ring.covers(seq, &all) && !ring.covers(seq, &bob)));
        assert!(ring.covers(0, &ann) && ring.covers(ring.newest_seq(), &all));
        assert_eq!((ring.seq_after(2, &all), ring.seq_after(2, &bob)), (None, None));
        assert_eq!((ring.seq_after(0, &ann), ring.seq_after(3, &all)), (Some(0), Some(4)));
        assert!(ring.after(0).all(|m| m.frame.is_empty() == (m.id == 2 || m.topics.is_empty())));
    }
}
