//! Takes messages in the order of their ids and wakes the readers of their topics.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use tokio_stream::Stream;

use super::ring::{Message, Ring, Topic, message_id};

/// How many messages one chunk of a stream carries at most.
const CHUNK: usize = 64;

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
    /// How many messages have followed that event.
    nth: i64,
    /// Events that were committed before an earlier one was published, by their first id.
    early: BTreeMap<i64, (i64, Vec<(i64, Outgoing)>)>,
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

    /// Publishes the messages of committed events, `first..=last`, each with its event's id.
    ///
    /// Ids have no holes, so a group that comes before its turn is kept until the ones before it are here.
    pub fn publish(&self, first: i64, last: i64, messages: Vec<(i64, Outgoing)>) {
        let mut state = lock(&self.state);
        state.early.insert(first, (last, messages));
        let mut woken = Vec::new();
        while let Some((&first, _)) = state.early.first_key_value() {
            if first > state.last_event + 1 {
                break;
            }
            let Some((last, messages)) = state.early.remove(&first) else { break };
            for (event_id, outgoing) in messages {
                woken.extend_from_slice(&outgoing.topics);
                state.ring.push(to_message(message_id(event_id, 0), outgoing));
            }
            state.last_event = state.last_event.max(last);
            state.nth = 0;
        }
        wake(&state, woken);
    }

    /// Publishes what follows from events, not an event itself: changed figures, a commit.
    pub fn follow(&self, messages: Vec<Outgoing>) {
        let mut state = lock(&self.state);
        let mut woken = Vec::new();
        for outgoing in messages {
            state.nth += 1;
            let id = message_id(state.last_event, state.nth);
            woken.extend_from_slice(&outgoing.topics);
            state.ring.push(to_message(id, outgoing));
        }
        wake(&state, woken);
    }

    /// Forgets what could be replayed, after something in it must not be shown any more.
    pub fn forget(&self) {
        let mut state = lock(&self.state);
        state.nth += 1;
        let id = message_id(state.last_event, state.nth);
        state.ring.start_at(id);
        let everybody: Vec<Topic> = state.readers.keys().copied().collect();
        wake(&state, everybody);
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
        let everybody: Vec<Topic> = state.readers.keys().copied().collect();
        wake(&state, everybody);
    }

    /// Ends all subscriptions.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        let everybody: Vec<Topic> = state.readers.keys().copied().collect();
        wake(&state, everybody);
    }

    /// Begins to read. A place that the ring does not reach begins with a `reset`.
    pub fn subscribe(&self, mut topics: Vec<Topic>, resume: Resume) -> Subscription {
        topics.sort_unstable();
        topics.dedup();
        let reader = Arc::new(Reader::default());
        let mut state = lock(&self.state);
        let newest = state.ring.last_id().max(message_id(state.last_event, state.nth));
        let place = match resume {
            Resume::Now => newest,
            Resume::After(id) => id,
        };
        // An id from the future is from another database: fetch anew.
        let must_reset = place > newest || !state.ring.reaches(place, &topics);
        for topic in &topics {
            state.readers.entry(*topic).or_default().push(reader.clone());
        }
        state.reader_count += 1;
        let (place, heartbeat) = (if must_reset { newest } else { place }, state.heartbeat);
        drop(state);
        let first = if must_reset { reset_frame(newest) } else { Bytes::new() };
        Subscription { hub: self.clone(), reader, topics, place, heartbeat, first: Some(first), is_done: false }
    }
}

fn to_message(id: i64, outgoing: Outgoing) -> Message {
    let frame = Bytes::from(format!("id: {id}\nevent: {}\ndata: {}\n\n", outgoing.name, outgoing.json));
    Message { id, topics: outgoing.topics, frame }
}

fn reset_frame(id: i64) -> Bytes {
    Bytes::from(format!("id: {id}\nevent: reset\ndata: {{}}\n\n"))
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
    /// The id of the last message that was handed out or passed over.
    place: i64,
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
            return Poll::Ready(None);
        }
        if !state.ring.reaches(self.place, &self.topics) {
            self.is_done = true;
            return Poll::Ready(Some(reset_frame(state.ring.last_id())));
        }
        let mut chunk = Chunk::default();
        for message in state.ring.after(self.place) {
            self.place = message.id;
            if message.topics.iter().any(|t| self.topics.contains(t)) {
                chunk.add(&message.frame);
                if chunk.count == CHUNK {
                    context.waker().wake_by_ref();
                    break;
                }
            }
        }
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
        hub.publish(11, 12, vec![(11, note("activity", "a")), (12, note("other", "b"))]);
        hub.publish(13, 13, vec![(13, note("activity", "c"))]);
        let got = next(&mut reader).await;
        assert!(got.contains("\"a\"") && got.contains("\"c\"") && !got.contains("\"b\""), "{got}");
    }

    #[tokio::test]
    async fn a_group_that_comes_too_early_waits_for_the_one_before() {
        let hub = Hub::starting_after(0);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
        next(&mut reader).await;
        hub.publish(2, 2, vec![(2, note("activity", "second"))]);
        hub.publish(1, 1, vec![(1, note("activity", "first"))]);
        let got = next(&mut reader).await;
        assert!(got.find("first").unwrap() < got.find("second").unwrap(), "{got}");
    }

    #[tokio::test]
    async fn coming_back_replays_what_was_missed_once() {
        let hub = Hub::starting_after(0);
        hub.publish(1, 3, (1..=3).map(|id| (id, note("activity", &format!("e{id}")))).collect());
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
    async fn closing_ends_every_stream() {
        let hub = Hub::starting_after(0);
        let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
        next(&mut reader).await;
        hub.close();
        assert_eq!(reader.next().await, None);
        drop(reader);
        assert_eq!(hub.reader_count(), 0);
    }
}
