//! A client of live streams.

use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use serde_json::Value;

use super::events::own;
use super::server::Server;

/// After this time the program hangs. Not an expectation of speed.
pub const HANG: Duration = Duration::from_secs(120);

/// A message of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// 0 for a message without an id.
    pub id: i64,
    pub event: String,
    pub data: Value,
}

impl Server {
    /// Takes an event of a new player. Its row arrives after all rows, players and guilds of earlier commits, so it proves that nothing
    /// else comes.
    pub async fn fence(&self, key: &str, player: &str) {
        self.take(key, &[own("login", player).json()]).await;
    }
}

/// An open stream.
pub struct Stream {
    response: Response,
    buffer: String,
}

impl Stream {
    pub async fn open(server: &Server, topics: &str, after: Option<&str>) -> Self {
        let response = Self::request(&server.client, &server.address, topics, after).await;
        assert_eq!(response.status(), 200);
        let mut stream = Self::of(response);
        // The stream is open once its first bytes have arrived.
        while !stream.buffer.contains("retry: 3000\n\n") {
            assert!(stream.more(HANG).await, "the stream did not start: {:?}", stream.buffer);
        }
        stream.buffer = stream.buffer.replacen("retry: 3000\n\n", "", 1);
        stream
    }

    /// Requests a stream; returns the response.
    pub async fn request(client: &Client, address: &str, topics: &str, after: Option<&str>) -> Response {
        // A stream is open for longer than the client's usual timeout.
        let mut request = client.get(format!("{address}/api/live?topics={topics}")).timeout(Duration::from_secs(600));
        if let Some(id) = after {
            request = request.header("last-event-id", id);
        }
        request.send().await.unwrap()
    }

    pub fn of(response: Response) -> Self {
        Self { response, buffer: String::new() }
    }

    /// Reads more; false after the timeout or when the stream ended.
    pub async fn more(&mut self, within: Duration) -> bool {
        match tokio::time::timeout(within, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                self.buffer.push_str(std::str::from_utf8(&bytes).expect("a stream is never compressed"));
                true
            }
            _ => false,
        }
    }

    /// The next message, or `None` after the timeout.
    pub async fn next(&mut self, within: Duration) -> Option<Frame> {
        let end = Instant::now() + within;
        loop {
            while let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let frame = frame(block);
                self.buffer = rest.to_owned();
                if frame.is_some() {
                    return frame;
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.more(left).await {
                return None;
            }
        }
    }

    /// The first message with this event name; skips those before it.
    pub async fn until(&mut self, event: &str) -> Frame {
        let is_there = |frames: &[Frame]| frames.last().is_some_and(|frame| frame.event == event);
        self.read_until(event, is_there).await.pop().unwrap()
    }

    /// Reads until the messages are enough.
    pub async fn read_until(&mut self, what: &str, is_enough: impl Fn(&[Frame]) -> bool) -> Vec<Frame> {
        let mut frames = Vec::new();
        while !is_enough(&frames) {
            match self.next(HANG).await {
                Some(frame) => frames.push(frame),
                None => panic!("{what} did not arrive: {frames:?}"),
            }
        }
        frames
    }

    /// All messages before the row of a [`fence`](Server::fence). The topics have to include the feed or the player.
    pub async fn before(&mut self, fence: &str) -> Vec<Frame> {
        let is_fence = |frames: &[Frame]| frames.last().is_some_and(|frame| frame.data["player_name"] == fence);
        let mut frames = self.read_until(fence, is_fence).await;
        frames.pop();
        frames
    }

    /// Whether a comment arrives.
    pub async fn comment(&mut self) -> bool {
        while !self.buffer.lines().any(|line| line.starts_with(':')) {
            if !self.more(HANG).await {
                return false;
            }
        }
        true
    }

    pub async fn ends(&mut self) -> bool {
        let all = async { while let Ok(Some(_)) = self.response.chunk().await {} };
        tokio::time::timeout(HANG, all).await.is_ok()
    }
}

fn frame(block: &str) -> Option<Frame> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    Some(Frame {
        id: field("id: ").map_or(0, |id| id.parse().unwrap()),
        event: field("event: ")?.to_owned(),
        data: serde_json::from_str(field("data: ")?).unwrap(),
    })
}
