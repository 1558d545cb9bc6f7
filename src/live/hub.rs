//! Takes messages in the order of their ids and wakes the readers of their topics.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use tokio_stream::Stream;

use super::ring::{Message, Ring, Topic, message_id, position_of};

/// How many messages one chunk of a stream carries at most.
const CHUNK: usize = 64;
/// After how long a reader comes back to a server that stopped, and over which time they spread.
const RETRY_MS: u64 = 1_000;
const RETRY_SPREAD_MS: u64 = 4_000;

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
}

#[derive(Default)]
struct State {
    ring: Ring,
    /// The newest event whose messages are in the ring.
    last_event: i64,
    /// An event that is known to be committed somewhere, so that readers who have seen it come from no other database.
    known_event: i64,
    readers: HashMap<Topic, Vec<Arc<Reader>>>,
    reader_count: usize,
    is_closed: bool,
    heartbeat: u64,
}

#[derive(Default)]
struct Reader {
    waker: Mutex<Option<Waker>>,
}

impl Reader {
    fn wake(&self) {
        if let Some(waker) = lock(&self.waker).take() {
            waker.wake();
        }
    }
}

// A poisoned lock means a panic elsewhere; the state itself is always whole between two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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
        let place = message_id(state.last_event, 0).max(state.ring.last_id());
        state.ring.start_at(place);
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

    /// Publishes how things stand now, to those whose streams are open; nobody gets it replayed.
    pub fn tell(&self, messages: Vec<Outgoing>) {
        let mut state = lock(&self.state);
        let mut woken = Vec::new();
        for outgoing in messages {
            woken.extend_from_slice(&outgoing.topics);
            let frame = Bytes::from(format!("event: {}\ndata: {}\n\n", outgoing.name, outgoing.json));
            state.ring.push(Message { id: 0, has_own_id: false, topics: outgoing.topics, frame });
        }
        wake(&state, woken);
    }

    /// Takes the messages of a topic back, after something in them must not be shown any more: streams that showed them, or
    /// were about to, begin anew with a `reset`.
    pub fn remove(&self, topic: Topic) {
        let mut state = lock(&self.state);
        state.ring.remove(topic);
        wake_all(&state);
    }

    pub fn has_readers(&self, topic: Topic) -> bool {
        lock(&self.state).readers.get(&topic).is_some_and(|r| !r.is_empty())
    }

    /// How many subscriptions are open.
    pub fn reader_count(&self) -> usize {
        lock(&self.state).reader_count
    }

    /// Sends a comment to every reader, so that neither proxies nor dead peers keep a line open.
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

    /// Begins to read. A place that the ring does not reach begins with a `reset`.
    pub fn subscribe(&self, mut topics: Vec<Topic>, resume: Resume) -> Subscription {
        topics.sort_unstable();
        topics.dedup();
        let reader = Arc::new(Reader::default());
        let mut state = lock(&self.state);
        let newest = state.ring.last_id().max(message_id(state.last_event, 0));
        let (place, after_id) = match resume {
            Resume::Now => (Some(state.ring.newest()), newest),
            // An id from the future is from another database.
            Resume::After(id) if position_of(id) > state.last_event.max(state.known_event) => (None, newest),
            Resume::After(id) => (state.ring.place_after(id, &topics), id),
        };
        for topic in &topics {
            state.readers.entry(*topic).or_default().push(reader.clone());
        }
        state.reader_count += 1;
        let (heartbeat, from) = (state.heartbeat, state.ring.newest());
        drop(state);
        let (first, place, after_id) = match place {
            Some(place) => (Bytes::new(), place, after_id),
            None => (reset_frame(newest), from, newest),
        };
        Subscription {
            hub: self.clone(),
            reader,
            topics,
            place,
            after_id,
            heartbeat,
            first: Some(first),
            is_done: false,
        }
    }
}

fn to_message(id: i64, outgoing: Outgoing) -> Message {
    let frame = Bytes::from(format!("id: {id}\nevent: {}\ndata: {}\n\n", outgoing.name, outgoing.json));
    Message { id, has_own_id: true, topics: outgoing.topics, frame }
}

fn reset_frame(id: i64) -> Bytes {
    Bytes::from(format!("id: {id}\nevent: reset\ndata: {{}}\n\n"))
}

fn wake_all(state: &State) {
    wake(state, state.readers.keys().copied().collect());
}

fn wake(state: &State, mut topics: Vec<Topic>) {
    topics.sort_unstable();
    topics.dedup();
    for reader in topics.iter().filter_map(|t| state.readers.get(t)).flatten() {
        reader.wake();
    }
}

/// One reader's stream of frames. Ends when the hub closes or when the reader fell behind the ring.
pub struct Subscription {
    hub: Hub,
    reader: Arc<Reader>,
    topics: Vec<Topic>,
    /// The place in the ring of the last message that was handed out or passed over.
    place: u64,
    /// Messages up to this id were had before, perhaps from another process that was a little ahead.
    after_id: i64,
    heartbeat: u64,
    first: Option<Bytes>,
    is_done: bool,
}

impl Stream for Subscription {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.is_done {
            return Poll::Ready(None);
        }
        if let Some(first) = self.first.take() {
            let mut chunk = BytesMut::from(&b"retry: 3000\n\n"[..]);
            chunk.extend_from_slice(&first);
            return Poll::Ready(Some(chunk.freeze()));
        }
        // Registered before looking, so that what is published in between wakes us.
        *lock(&self.reader.waker) = Some(context.waker().clone());
        let hub = self.hub.clone();
        let state = lock(&hub.state);
        if state.is_closed {
            self.is_done = true;
            // Not all readers come back at the same moment.
            let retry = RETRY_MS + rand::random_range(0..RETRY_SPREAD_MS);
            return Poll::Ready(Some(Bytes::from(format!("retry: {retry}\n\n"))));
        }
        if !state.ring.reaches(self.place, &self.topics) {
            self.is_done = true;
            return Poll::Ready(Some(reset_frame(state.ring.last_id())));
        }
        let mut chunk = Chunk::default();
        let (mut place, after_id) = (self.place, self.after_id);
        for message in state.ring.after(place) {
            place += 1;
            let is_new = !message.has_own_id || message.id > after_id;
            if is_new && message.topics.iter().any(|t| self.topics.contains(t)) {
                chunk.add(&message.frame);
                if chunk.count == CHUNK {
                    context.waker().wake_by_ref();
                    break;
                }
            }
        }
        self.place = place;
        if chunk.count > 0 {
            return Poll::Ready(Some(chunk.take()));
        }
        if state.heartbeat != self.heartbeat {
            self.heartbeat = state.heartbeat;
            return Poll::Ready(Some(Bytes::from_static(b": still here\n\n")));
        }
        Poll::Pending
    }
}

/// Joins frames without copying when there is only one.
#[derive(Default)]
struct Chunk {
    one: Bytes,
    many: BytesMut,
    count: usize,
}

impl Chunk {
    fn add(&mut self, frame: &Bytes) {
        match self.count {
            0 => self.one = frame.clone(),
            1 => {
                self.many.extend_from_slice(&self.one);
                self.many.extend_from_slice(frame);
            }
            _ => self.many.extend_from_slice(frame),
        }
        self.count += 1;
    }

    fn take(self) -> Bytes {
        if self.count == 1 { self.one } else { self.many.freeze() }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut state = lock(&self.hub.state);
        for topic in &self.topics {
            if let Some(readers) = state.readers.get_mut(topic) {
                readers.retain(|r| !Arc::ptr_eq(r, &self.reader));
                if readers.is_empty() {
                    state.readers.remove(topic);
                }
            }
        }
        state.reader_count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_stream::StreamExt;

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
        assert_eq!(next(&mut reader).await, "retry: 3000\n\n");
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
        for place in [message_id(2, 0), message_id(99, 0)] {
            let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::After(place));
            assert!(next(&mut reader).await.contains("event: reset"));
        }
    }

    #[tokio::test]
    async fn who_was_ahead_of_this_process_goes_on_without_a_double() {
        let hub = Hub::starting_after(5);
        hub.expect(7);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::After(message_id(7, 3)));
        assert_eq!(next(&mut reader).await, "retry: 3000\n\n");
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

    #[tokio::test]
    async fn how_things_stand_reaches_open_streams_without_an_id() {
        let hub = Hub::starting_after(5);
        let mut reader = hub.subscribe(vec![Topic::new("counts")], Resume::Now);
        next(&mut reader).await;
        hub.tell(vec![note("counts", "now")]);
        assert_eq!(next(&mut reader).await, "event: activity\ndata: \"now\"\n\n");
        hub.follow(5, vec![(4, note("counts", "fourth"))]);
        assert_eq!(next(&mut reader).await, format!("id: {}\nevent: activity\ndata: \"fourth\"\n\n", message_id(5, 4)));
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
