//! The current state of topics that have one: only the newest is kept, whole and as the difference from the one before.

use std::collections::HashMap;

use bytes::Bytes;

use super::ring::Topic;

/// A new state of a topic.
#[derive(Debug, Clone)]
pub struct StateUpdate {
    /// The SSE event name.
    pub name: &'static str,
    pub topic: Topic,
    /// Everything, as one line of JSON.
    pub snapshot: String,
    /// What differs from the state before, as one line of JSON. Without it everybody gets the snapshot.
    pub delta: Option<String>,
    /// False when nothing differs from the state before and the snapshot is for those alone who have none.
    pub is_changed: bool,
}

/// A message whose id can be left out.
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
    /// `None` after it was taken back, until it is published again.
    snapshot: Option<Frame>,
    /// From which version on the delta leads here, and the delta.
    delta: Option<(u64, Frame)>,
}

/// The version of a topic's state that a reader has; `None` for one that needs the whole state.
pub type SeenVersion = Option<u64>;

/// The newest state of each topic that has one.
#[derive(Debug, Default)]
pub struct States {
    current: HashMap<Topic, CurrentState>,
    /// The version of the newest change of any topic.
    version: u64,
    /// How often anything was put here.
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
            // What was taken back must not be named as gone either.
            delta: before
                .filter(|(_, has_snapshot)| *has_snapshot)
                .and_then(|(version, _)| Some((version, frame(update.delta.as_deref()?)))),
        };
        self.current.insert(update.topic, current);
    }

    /// The id of a topic's newest state, for a reader that does not have it yet.
    pub fn pending_id(&self, topic: Topic, seen: SeenVersion) -> Option<i64> {
        let current = self.current.get(&topic)?;
        let is_seen = seen.is_some_and(|version| version >= current.version);
        (!is_seen).then_some(current.id)
    }

    /// What brings a reader to the newest state of a topic, and its id; `None` when the reader has it. Ids never fall: a
    /// reader that has seen a higher one than the state's gets the message without an id.
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

    /// Takes all states back. Their versions stay: a reader that missed a change still needs the next state whole.
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
    fn a_reader_gets_the_whole_state_once_then_what_changed() {
        let mut states = States::default();
        states.put(1, update("all", None, true));
        let (mut seen, mut last_id) = (None, 0);
        assert_eq!(text(&states, &mut seen, &mut last_id).unwrap(), "id: 1\nevent: board\ndata: all\n\n");
        assert_eq!(text(&states, &mut seen, &mut last_id), None);
        states.put(2, update("all2", Some("d2"), true));
        assert_eq!(text(&states, &mut seen, &mut last_id).unwrap(), "id: 2\nevent: board\ndata: d2\n\n");
        // One is missed: a difference would not be enough.
        states.put(3, update("all3", Some("d3"), true));
        states.put(4, update("all4", Some("d4"), true));
        assert_eq!(text(&states, &mut seen, &mut last_id).unwrap(), "id: 4\nevent: board\ndata: all4\n\n");
    }

    #[test]
    fn a_state_that_did_not_change_is_for_those_alone_who_have_none() {
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
        // What follows is a difference from what both have.
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
