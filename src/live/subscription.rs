//! The stream of frames of one subscriber, with its own position in the ring.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio_stream::Stream;

use super::hub_state::{HubState, Subscriber, lock};
use super::ring::Topic;
use super::states::SeenVersion;

/// Messages in one chunk of a stream.
const MAX_CHUNK_MESSAGES: usize = 64;
/// Delay before clients reconnect to a server that is shutting down, and the random spread added to it.
const RETRY_MS: u64 = 1_000;
const RETRY_SPREAD_MS: u64 = 4_000;

/// The stream of frames of one subscriber. It ends when the hub closes or the subscriber falls behind the ring.
pub struct Subscription {
    pub(super) hub: Arc<Mutex<HubState>>,
    pub(super) subscriber: Arc<Subscriber>,
    pub(super) topics: Box<[Topic]>,
    /// The keys of this subscriber in the hub, one per topic.
    pub(super) keys: Box<[usize]>,
    /// The state versions that this subscriber has, one per topic.
    pub(super) seen: Box<[SeenVersion]>,
    /// `States::put_count` when the states were last checked.
    pub(super) put_count: Option<u64>,
    /// Sequence number of the last message that was sent or skipped.
    pub(super) seq: u64,
    /// The client has received messages up to this id before, perhaps from another process.
    pub(super) after_id: i64,
    /// The newest id that was sent.
    pub(super) last_id: i64,
    pub(super) heartbeat: u64,
    pub(super) is_reset: bool,
    pub(super) has_begun: bool,
    pub(super) has_named_heartbeat: bool,
    pub(super) is_done: bool,
}

impl Subscription {
    /// Begins with the current states of these topics, also if the stream does not resume.
    pub fn with_states_of(mut self, is_wanted: impl Fn(Topic) -> bool) -> Self {
        let wanted = self.topics.iter().zip(&mut self.seen).filter(|(topic, _)| is_wanted(**topic));
        wanted.for_each(|(_, seen)| *seen = None);
        self
    }

    /// Sends an event `heartbeat` at the start and with each heartbeat comment, because scripts in a page cannot see comments.
    pub fn with_named_heartbeat(mut self) -> Self {
        self.has_named_heartbeat = true;
        self
    }

    /// The first frame of a stream. Its id lets a client resume that loses the stream before the first message.
    fn opening(&self) -> Bytes {
        let id = self.last_id;
        let name = match (self.is_reset, self.has_named_heartbeat) {
            (true, _) => "event: reset\ndata: {}\n",
            (false, true) => "event: heartbeat\ndata: {}\n",
            (false, false) => "",
        };
        Bytes::from(format!("retry: 3000\n\nid: {id}\n{name}\n"))
    }

    fn heartbeat(&mut self, newest_id: i64) -> Bytes {
        if !self.has_named_heartbeat {
            return Bytes::from_static(b": still here\n\n");
        }
        // Everything up to this id was sent.
        self.last_id = self.last_id.max(newest_id);
        Bytes::from(format!(": still here\n\nid: {}\nevent: heartbeat\ndata: {{}}\n\n", self.last_id))
    }

    fn add_messages(&mut self, state: &HubState, chunk: &mut Vec<Bytes>) {
        for message in state.ring.after(self.seq) {
            self.seq += 1;
            if message.id > self.after_id && message.topics.iter().any(|t| self.topics.contains(t)) {
                chunk.push(message.frame.clone());
                self.last_id = self.last_id.max(message.id);
                if chunk.len() == MAX_CHUNK_MESSAGES {
                    return;
                }
            }
        }
    }

    fn add_states(&mut self, state: &mut HubState, chunk: &mut Vec<Bytes>) {
        if self.put_count == Some(state.states.put_count()) {
            return;
        }
        self.put_count = Some(state.states.put_count());
        let due = |(at, topic): (usize, &Topic)| Some((state.states.pending_id(*topic, self.seen[at])?, at));
        let mut due: Vec<(i64, usize)> = self.topics.iter().enumerate().filter_map(due).collect();
        // In publishing order, because ids never decrease within a stream.
        due.sort_unstable();
        for (_, at) in due {
            let Some((id, frame)) = state.states.next_frame(self.topics[at], &mut self.seen[at], self.last_id) else {
                continue;
            };
            // An older state is still current, so it receives a new id.
            let id = id.or_else(|| {
                let id = state.next_state_id();
                (id > self.last_id).then(|| {
                    chunk.push(Bytes::from(format!("id: {id}\n")));
                    id
                })
            });
            self.last_id = id.unwrap_or(self.last_id);
            chunk.push(frame);
        }
    }
}

impl Stream for Subscription {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if this.is_done {
            return Poll::Ready(None);
        }
        if !std::mem::replace(&mut this.has_begun, true) {
            return Poll::Ready(Some(this.opening()));
        }
        // Registered before the check, so a message published in between wakes this task.
        *lock(&this.subscriber.waker) = Some(context.waker().clone());
        let hub = Arc::clone(&this.hub);
        let mut state = lock(&hub);
        if state.is_closed {
            this.is_done = true;
            // Spreads the reconnects.
            let retry = RETRY_MS + rand::random_range(0..RETRY_SPREAD_MS);
            return Poll::Ready(Some(Bytes::from(format!("retry: {retry}\n\n"))));
        }
        if !state.ring.covers(this.seq, &this.topics) {
            this.is_done = true;
            return Poll::Ready(Some(Bytes::from(format!(
                "id: {}\nevent: reset\ndata: {{}}\n\n",
                state.ring.last_id().max(this.last_id)
            ))));
        }
        let mut chunk = Vec::new();
        this.add_messages(&state, &mut chunk);
        if chunk.len() == MAX_CHUNK_MESSAGES {
            context.waker().wake_by_ref();
        } else {
            this.add_states(&mut state, &mut chunk);
        }
        match chunk.len() {
            0 => {}
            // A single frame is not copied.
            1 => return Poll::Ready(chunk.pop()),
            _ => return Poll::Ready(Some(chunk.concat().into())),
        }
        if state.heartbeat != this.heartbeat {
            this.heartbeat = state.heartbeat;
            return Poll::Ready(Some(this.heartbeat(state.newest_id())));
        }
        Poll::Pending
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        lock(&self.hub).remove(&self.topics, &self.keys);
    }
}
