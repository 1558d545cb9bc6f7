//! The messages of the last while, in order of their ids.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;

/// How many messages are kept.
pub const CAPACITY: usize = 16_384;

/// Room between the ids of two events for the messages that follow from the first.
const STEP: i64 = 1 << 16;

/// The id of the `nth` message after the event with this id; the event itself is the 0th.
pub fn message_id(event_id: i64, nth: i64) -> i64 {
    event_id * STEP + nth.min(STEP - 1)
}

/// The event that a message id belongs to.
pub fn position_of(message_id: i64) -> i64 {
    message_id.div_euclid(STEP)
}

/// What a message is about, such as `activity` or `player:abc`; kept as a hash of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Topic(u64);

impl Topic {
    pub fn new(name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// One message, as the bytes that go out.
#[derive(Debug, Clone)]
pub struct Message {
    pub id: i64,
    pub topics: Vec<Topic>,
    pub frame: Bytes,
}

/// Messages in order of their ids, the oldest leaving first.
#[derive(Debug, Default)]
pub struct Ring {
    messages: VecDeque<Message>,
    /// The newest message of a topic that has left.
    left: HashMap<Topic, i64>,
    /// Nothing up to this id can be replayed.
    floor: i64,
}

impl Ring {
    pub fn push(&mut self, message: Message) {
        if self.messages.len() == CAPACITY
            && let Some(oldest) = self.messages.pop_front()
        {
            for topic in &oldest.topics {
                self.left.insert(*topic, oldest.id);
            }
            // Bounds the map; what is forgotten here counts as left for everybody.
            if self.left.len() > CAPACITY {
                self.left.clear();
                self.floor = oldest.id;
            }
        }
        self.messages.push_back(message);
    }

    /// Forgets everything up to this id: whoever comes back from before it has to fetch anew.
    pub fn start_at(&mut self, id: i64) {
        self.messages.clear();
        self.left.clear();
        self.floor = id;
    }

    /// Whether a reader of these topics at this place has missed nothing.
    pub fn reaches(&self, place: i64, topics: &[Topic]) -> bool {
        place >= self.floor && topics.iter().all(|t| self.left.get(t).is_none_or(|left| *left <= place))
    }

    /// The messages after this place.
    pub fn after(&self, place: i64) -> impl Iterator<Item = &Message> {
        let first = self.messages.partition_point(|m| m.id <= place);
        self.messages.range(first..)
    }

    pub fn last_id(&self) -> i64 {
        self.messages.back().map_or(self.floor, |m| m.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: i64, topic: &str) -> Message {
        Message { id, topics: vec![Topic::new(topic)], frame: Bytes::new() }
    }

    #[test]
    fn ids_lead_back_to_their_event() {
        assert_eq!(position_of(message_id(7, 0)), 7);
        assert_eq!(position_of(message_id(7, 70_000)), 7);
        assert!(message_id(8, 0) > message_id(7, 70_000));
    }

    #[test]
    fn a_reader_has_missed_something_only_when_its_own_topic_lost_a_message() {
        let mut ring = Ring::default();
        ring.push(message(1, "rare"));
        for id in 2..=CAPACITY as i64 {
            ring.push(message(id, "busy"));
        }
        assert!(ring.reaches(0, &[Topic::new("rare")]));
        ring.push(message(CAPACITY as i64 + 1, "busy"));
        assert!(!ring.reaches(0, &[Topic::new("rare")]));
        assert!(ring.reaches(1, &[Topic::new("rare")]));
        assert!(ring.reaches(0, &[Topic::new("busy")]));
    }

    #[test]
    fn nothing_is_replayed_from_before_the_start() {
        let mut ring = Ring::default();
        ring.start_at(50);
        assert!(!ring.reaches(49, &[Topic::new("busy")]));
        assert!(ring.reaches(50, &[Topic::new("busy")]));
        assert_eq!(ring.last_id(), 50);
    }
}
