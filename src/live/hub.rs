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

    fn next_state_id(&mut self) -> i64 {
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

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;

    use super::*;

    fn note(topic: &str, text: &str) -> Outgoing {
        Outgoing { name: "activity", topics: vec![Topic::new(topic)], json: format!("\"{text}\"") }
    }

    async fn next(subscription: &mut Subscription) -> String {
        String::from_utf8(subscription.next().await.unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_reader_gets_its_topics_in_order_and_nothing_else() {
        let hub = Hub::starting_after(10);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
        assert!(next(&mut reader).await.starts_with("retry: 3000\n\nid: "));
        hub.publish(12, vec![(11, note("activity", "a")), (12, note("other", "b"))]);
        hub.publish(13, vec![(13, note("activity", "c"))]);
        let got = next(&mut reader).await;
        assert!(got.contains("\"a\"") && got.contains("\"c\"") && !got.contains("\"b\""), "{got}");
    }

    #[tokio::test]
    async fn coming_back_replays_what_was_missed_once() {
        let hub = Hub::starting_after(0);
        hub.publish(3, (1..=3).map(|id| (id, note("activity", &format!("e{id}")))).collect());
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::After(message_id(1, 0)));
        next(&mut reader).await;
        let got = next(&mut reader).await;
        assert!(!got.contains("e1") && got.contains("e2") && got.contains("e3"), "{got}");
    }

    #[tokio::test]
    async fn an_unknown_or_forgotten_place_begins_with_a_reset() {
        let hub = Hub::starting_after(5);
        for place in
            [Resume::After(message_id(2, 0)), Resume::After(message_id(99, 0)), Resume::After(-1), Resume::Unknown]
        {
            let mut reader = hub.subscribe(vec![Topic::new("activity")], place);
            assert!(next(&mut reader).await.contains("event: reset"));
        }
    }

    #[tokio::test]
    async fn who_was_ahead_of_this_process_goes_on_without_a_double() {
        let hub = Hub::starting_after(5);
        hub.expect(7);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::After(message_id(7, 3)));
        assert!(next(&mut reader).await.starts_with("retry: 3000\n\nid: "));
        hub.publish(8, (6..=8).map(|id| (id, note("activity", &format!("e{id}")))).collect());
        let got = next(&mut reader).await;
        assert!(!got.contains("e6") && !got.contains("e7") && got.contains("e8"), "{got}");
    }

    #[tokio::test]
    async fn a_reader_that_waits_for_what_was_taken_back_fetches_anew() {
        let hub = Hub::starting_after(0);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
        next(&mut reader).await;
        let shown = Outgoing { topics: vec![Topic::new("activity"), Topic::new("player:bob")], ..note("", "bob") };
        hub.publish(2, vec![(1, shown), (2, note("activity", "later"))]);
        hub.remove(Topic::new("player:bob"));
        let got = next(&mut reader).await;
        assert!(got.contains("event: reset") && !got.contains("bob"), "{got}");
        assert_eq!(reader.next().await, None);
    }

    fn state(topic: &str, text: &str, is_changed: bool) -> StateUpdate {
        let snapshot = format!("\"{text}\"");
        StateUpdate { name: "counts", topic: Topic::new(topic), snapshot, delta: None, is_changed }
    }

    #[tokio::test]
    async fn a_state_has_an_id_after_the_newest_message_and_before_the_next() {
        let hub = Hub::starting_after(5);
        let topics = || vec![Topic::new("activity"), Topic::new("counts")];
        let mut reader = hub.subscribe(topics(), Resume::Now);
        assert_eq!(next(&mut reader).await, format!("retry: 3000\n\nid: {}\n\n", message_id(5, 0)));
        let (first, second) = (message_id(5, 0) + 1, message_id(5, 0) + 2);
        assert!(hub.publish_states(hub.epoch(), vec![state("counts", "one", true)]));
        assert_eq!(next(&mut reader).await, format!("id: {first}\nevent: counts\ndata: \"one\"\n\n"));
        hub.publish_states(hub.epoch(), vec![state("counts", "two", true)]);
        assert_eq!(next(&mut reader).await, format!("id: {second}\nevent: counts\ndata: \"two\"\n\n"));
        hub.follow(5, vec![(1, note("activity", "third"))]);
        assert_eq!(next(&mut reader).await, format!("id: {}\nevent: activity\ndata: \"third\"\n\n", message_id(5, 1)));
        // Who comes back gets what came after, and the state as it is.
        let mut again = hub.subscribe(topics(), Resume::After(second));
        next(&mut again).await;
        let got = next(&mut again).await;
        assert!(got.contains("third") && got.contains("two") && !got.contains("one"), "{got}");
        // Who comes for the first time gets it where it asks for it.
        let mut fresh = hub.subscribe(topics(), Resume::Now).with_states_of(|topic| topic == Topic::new("counts"));
        next(&mut fresh).await;
        assert!(next(&mut fresh).await.contains("two"));
    }

    #[tokio::test]
    async fn states_come_in_the_order_of_their_ids() {
        let hub = Hub::starting_after(5);
        let names = ["a", "b", "c", "d", "e"];
        let mut reader = hub.subscribe(names.map(Topic::new).to_vec(), Resume::Now);
        next(&mut reader).await;
        hub.publish_states(hub.epoch(), names.map(|name| state(name, name, true)).to_vec());
        let got = next(&mut reader).await;
        let ids: Vec<i64> = got.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect();
        assert_eq!(ids, [1, 2, 3, 4, 5].map(|nth| message_id(5, 0) + nth), "{got}");
    }

    #[tokio::test]
    async fn a_state_from_before_something_was_taken_back_is_not_published() {
        let hub = Hub::starting_after(5);
        let mut reader = hub.subscribe(vec![Topic::new("counts")], Resume::Now);
        next(&mut reader).await;
        let before = hub.epoch();
        hub.publish_states(before, vec![state("counts", "bob", true)]);
        hub.remove(Topic::new("player:bob"));
        assert!(!hub.publish_states(before, vec![state("counts", "bob", true)]));
        assert!(hub.lacks_state(Topic::new("counts")));
        hub.publish_states(hub.epoch(), vec![state("counts", "ann", true)]);
        let got = next(&mut reader).await;
        assert!(got.contains("ann") && !got.contains("bob"), "{got}");
    }

    #[tokio::test]
    async fn a_named_heartbeat_can_be_seen_and_says_how_far_the_stream_is() {
        let hub = Hub::starting_after(5);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now).with_named_heartbeat();
        let beat = |id| format!("id: {}\nevent: heartbeat\ndata: {{}}\n\n", message_id(id, 0));
        assert_eq!(next(&mut reader).await, format!("retry: 3000\n\n{}", beat(5)));
        hub.publish(6, vec![(6, note("other", "x"))]);
        hub.beat();
        assert_eq!(next(&mut reader).await, format!(": still here\n\n{}", beat(6)));
    }

    /// How long it takes to open so many streams of one topic and to end all of them at once.
    fn time_to_leave(count: usize) -> std::time::Duration {
        let hub = Hub::starting_after(0);
        let all: Vec<_> = (0..count).map(|_| hub.subscribe(vec![Topic::new("activity")], Resume::Now)).collect();
        let began = std::time::Instant::now();
        drop(all);
        assert_eq!((hub.reader_count(), hub.has_readers(Topic::new("activity"))), (0, false));
        began.elapsed()
    }

    #[test]
    fn leaving_takes_no_longer_when_there_are_more_readers() {
        // The best of some: others use the machine as well.
        let best = |count| (0..5).map(|_| time_to_leave(count)).min().unwrap();
        let (few, many) = (best(2_000), best(40_000));
        // Twenty times as many; with a scan of the topic it would be four hundred times.
        assert!(many < 100 * few, "{few:?} for 2,000, {many:?} for 40,000");
    }

    #[tokio::test]
    async fn closing_ends_every_stream() {
        let hub = Hub::starting_after(0);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
        next(&mut reader).await;
        hub.close();
        let last = next(&mut reader).await;
        let retry: u64 = last.trim().strip_prefix("retry: ").unwrap().parse().unwrap();
        assert!((1_000..5_000).contains(&retry), "{last}");
        assert_eq!(reader.next().await, None);
        drop(reader);
        assert_eq!(hub.reader_count(), 0);
    }
}
