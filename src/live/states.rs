//! The current state of topics that have one: the newest snapshot, and its difference from the previous one.

use std::collections::HashMap;

use bytes::Bytes;

use super::ring::Topic;

/// A new state of a topic.
#[derive(Debug, Clone)]
pub struct StateUpdate {
    /// The SSE event name.
    pub name: &'static str,
    pub topic: Topic,
    /// The complete state, as one line of JSON.
    pub snapshot: String,
    /// The difference from the previous state, as one line of JSON. Without it, all subscribers receive the snapshot.
    pub delta: Option<String>,
    /// False if the state equals the previous one, so that only subscribers without a state receive the snapshot.
    pub is_changed: bool,
}

/// A serialized message whose id line can be omitted.
#[derive(Debug, Clone)]
struct Frame {
    bytes: Bytes,
    id_length: usize,
}

impl Frame {
    fn new(id: i64, name: &str, json: &str) -> Self {
        let id_line = format!("id: {id}\n");
        Self { id_length: id_line.len(), bytes: format!("{id_line}event: {name}\ndata: {json}\n\n").into() }
    }
}

#[derive(Debug)]
struct CurrentState {
    version: u64,
    id: i64,
    /// `None` after a retraction, until it is published again.
    snapshot: Option<Frame>,
    /// The oldest version that the delta applies to, and the delta.
    delta: Option<(u64, Frame)>,
}

/// The version of a topic's state that a subscriber has; `None` if it needs the snapshot.
pub type SeenVersion = Option<u64>;

/// The newest state of each topic that has one.
#[derive(Debug, Default)]
pub struct States {
    current: HashMap<Topic, CurrentState>,
    /// The version of the newest change of any topic.
    version: u64,
    /// Number of updates that were stored.
    put_count: u64,
}

impl States {
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn put_count(&self) -> u64 {
        self.put_count
    }

    pub fn has(&self, topic: Topic) -> bool {
        self.current.get(&topic).is_some_and(|current| current.snapshot.is_some())
    }

    pub fn put(&mut self, id: i64, update: StateUpdate) {
        let before = self.current.get(&update.topic).map(|current| (current.version, current.snapshot.is_some()));
        if !update.is_changed && before.is_some_and(|(_, has_snapshot)| has_snapshot) {
            return;
        }
        self.put_count += 1;
        self.version += u64::from(update.is_changed);
        let frame = |json: &str| Frame::new(id, update.name, json);
        let current = CurrentState {
            version: if update.is_changed { self.version } else { before.map_or(0, |(version, _)| version) },
            id,
            snapshot: Some(frame(&update.snapshot)),
            // A delta from a retracted state would name what it contained.
            delta: before
                .filter(|(_, has_snapshot)| *has_snapshot)
                .and_then(|(version, _)| Some((version, frame(update.delta.as_deref()?)))),
        };
        self.current.insert(update.topic, current);
    }

    /// Returns the id of a topic's newest state if the subscriber does not have it yet.
    pub fn pending_id(&self, topic: Topic, seen: SeenVersion) -> Option<i64> {
        let current = self.current.get(&topic)?;
        let is_seen = seen.is_some_and(|version| version >= current.version);
        (!is_seen).then_some(current.id)
    }

    /// Returns the frame that brings a subscriber to the newest state of a topic, and its id; `None` if the subscriber has it. Ids of
    /// a stream never decrease: a subscriber that has seen a higher id receives the frame without one.
    pub fn next_frame(&self, topic: Topic, seen: &mut SeenVersion, last_id: i64) -> Option<(Option<i64>, Bytes)> {
        self.pending_id(topic, *seen)?;
        let current = self.current.get(&topic)?;
        let delta = current.delta.as_ref().filter(|(from, _)| seen.is_some_and(|version| version >= *from));
        let frame = delta.map(|(_, frame)| frame).or(current.snapshot.as_ref())?;
        *seen = Some(current.version);
        if current.id < last_id {
            return Some((None, frame.bytes.slice(frame.id_length..)));
        }
        Some((Some(current.id), frame.bytes.clone()))
    }

    pub fn remove(&mut self, topic: Topic) {
        self.current.remove(&topic);
    }

    /// Retracts all states but not their versions: a subscriber that missed a change still needs the next snapshot.
    pub fn retract_all(&mut self) {
        for current in self.current.values_mut() {
            (current.snapshot, current.delta) = (None, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(snapshot: &str, delta: Option<&str>, is_changed: bool) -> StateUpdate {
        let (snapshot, delta) = (snapshot.to_owned(), delta.map(str::to_owned));
        StateUpdate { name: "board", topic: Topic::new("b"), snapshot, delta, is_changed }
    }

    fn text(states: &States, seen: &mut SeenVersion, last_id: &mut i64) -> Option<String> {
        let (id, bytes) = states.next_frame(Topic::new("b"), seen, *last_id)?;
        *last_id = id.unwrap_or(*last_id);
        Some(String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn a_subscriber_receives_one_snapshot_and_then_deltas() {
        let mut states = States::default();
        states.put(1, update("all", None, true));
        let (mut seen, mut last_id) = (None, 0);
        assert_eq!(text(&states, &mut seen, &mut last_id).unwrap(), "id: 1\nevent: board\ndata: all\n\n");
        assert_eq!(text(&states, &mut seen, &mut last_id), None);
        states.put(2, update("all2", Some("d2"), true));
        assert_eq!(text(&states, &mut seen, &mut last_id).unwrap(), "id: 2\nevent: board\ndata: d2\n\n");
        // After a missed version, the delta does not apply.
        states.put(3, update("all3", Some("d3"), true));
        states.put(4, update("all4", Some("d4"), true));
        assert_eq!(text(&states, &mut seen, &mut last_id).unwrap(), "id: 4\nevent: board\ndata: all4\n\n");
    }

    #[test]
    fn an_unchanged_state_is_sent_only_to_new_subscribers() {
        let mut states = States::default();
        states.put(1, update("all", None, true));
        let (mut behind, mut seen, mut newcomer, mut last_id) = (Some(0), Some(states.version()), None, 0);
        states.retract_all();
        assert!(!states.has(Topic::new("b")));
        assert_eq!(text(&states, &mut newcomer, &mut last_id), None);
        states.put(2, update("all", None, false));
        assert_eq!(text(&states, &mut seen, &mut last_id), None);
        assert!(text(&states, &mut behind, &mut last_id).unwrap().contains("all"));
        assert!(text(&states, &mut newcomer, &mut last_id).unwrap().contains("all"));
        // Both have the state that the delta applies to.
        states.put(3, update("all3", Some("d3"), true));
        assert!(text(&states, &mut seen, &mut last_id).unwrap().contains("d3"));
        assert!(text(&states, &mut newcomer, &mut last_id).unwrap().contains("d3"));
    }

    #[test]
    fn ids_never_fall() {
        let mut states = States::default();
        states.put(5, update("all", None, true));
        let (mut seen, mut last_id) = (None, 9);
        assert_eq!(text(&states, &mut seen, &mut last_id).unwrap(), "event: board\ndata: all\n\n");
        assert_eq!(last_id, 9);
    }
}
