//! The live stream as `text/event-stream`: its topics, where it resumes, and its response.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::http::{Version, header};
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::Bytes;
use tokio_stream::Stream;

use super::detach::DetachHandle;
use super::guard;
use super::params::Params;
use super::sse_writer::{Framing, SseWriter};
use crate::app::App;
use crate::domain::names::{GuildTag, fold_for_lookup};
use crate::error::AppError;
use crate::features::live::BoardTopic;
use crate::live::{Resume, Subscription, Topic};
use crate::projections::{guild_topic, player_topic};

/// Topics of one stream.
const MAX_TOPICS: usize = 20;
const PLAIN: [&str; 4] = ["activity", "commits", "counts", "patch"];

/// Parses a list such as `activity,player:abc,guild:TAG`.
pub fn topics(text: Option<&str>) -> Result<Vec<Topic>, AppError> {
    let names: Vec<&str> = text.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let expected = "a list of activity, commits, counts, patch, player:{handle}, guild:{TAG}, \
                 board:players:{metric}, board:guilds:{metric}, with :{window} after the metric for a window";
    if names.is_empty() {
        return Err(AppError::invalid_parameter("topics", expected));
    }
    if names.len() > MAX_TOPICS {
        return Err(AppError::invalid_parameter("topics", &format!("at most {MAX_TOPICS} topics")));
    }
    names.into_iter().map(|name| topic(name).ok_or_else(|| AppError::invalid_value("topics", name, expected))).collect()
}

fn topic(name: &str) -> Option<Topic> {
    if PLAIN.contains(&name) {
        return Some(Topic::new(name));
    }
    match name.split_once(':')? {
        ("player", handle) => fold_for_lookup(handle).map(|folded| player_topic(&folded)),
        ("guild", tag) => GuildTag::parse(tag).ok().map(|tag| guild_topic(tag.as_str())),
        ("board", _) => BoardTopic::parse(name).map(BoardTopic::topic),
        _ => None,
    }
}

/// Returns where a stream resumes: browsers send the header `Last-Event-ID`, scripts may use the parameter `lastEventId`.
///
/// An `EventSource` does not reconnect after an error status, so an invalid id resumes as [`Resume::Unknown`].
pub fn resume(request: &HttpRequest, params: &Params) -> Resume {
    let header = request.headers().get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    match header.filter(|text| !text.is_empty()).or(params.text("lastEventId")).filter(|text| !text.is_empty()) {
        None => Resume::Now,
        Some(text) => text.parse().map_or(Resume::Unknown, Resume::After),
    }
}

/// Adds the event `heartbeat` if the client requests it.
pub fn with_heartbeat(frames: Subscription, params: &Params) -> Result<Subscription, AppError> {
    let is_named = params.one_of("heartbeat", false, &[("comment", false), ("event", true)])?;
    Ok(if is_named { frames.with_named_heartbeat() } else { frames })
}

/// Responds with a stream. The stream holds `held` (its permits) until it ends, is never compressed, disables proxy buffering,
/// and closes its connection at its end.
pub fn stream<H: Unpin + 'static>(request: &HttpRequest, frames: Subscription, held: H) -> HttpResponse {
    let framing = if request.version() < Version::HTTP_11 { Framing::CloseDelimited } else { Framing::Chunked };
    let handle = request.conn_data::<DetachHandle>().cloned();
    let mut response = HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header(("x-accel-buffering", "no"))
        .force_close()
        .body(Frames {
            writer: Some((frames, held)),
            framing,
            handle,
            has_begun: false,
            app: request.app_data().cloned(),
        });
    response.head_mut().no_chunking(framing == Framing::CloseDelimited);
    response
}

/// The response body. It sends the first frame with the head and then detaches from the HTTP server, which sends the other
/// frames through an [`SseWriter`]. Without a [`DetachHandle`] (in tests), it sends all frames itself.
struct Frames<H> {
    /// `None` after it has detached.
    writer: Option<(Subscription, H)>,
    framing: Framing,
    handle: Option<DetachHandle>,
    has_begun: bool,
    /// Counts panics; `None` in tests.
    app: Option<web::Data<App>>,
}

impl<H: Unpin + 'static> MessageBody for Frames<H> {
    type Error = io::Error;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        if self.has_begun
            && let Some(handle) = self.handle.take()
            && let Some((frames, held)) = self.writer.take()
        {
            let (framing, app) = (self.framing, self.app.take());
            handle.detach(move |tcp| {
                let mut writer = SseWriter::new(tcp, frames, framing, held);
                poll_fn(move |cx| {
                    guard::catch_panic(app.as_ref(), || Pin::new(&mut writer).poll(cx)).unwrap_or(Poll::Ready(()))
                })
            });
        }
        self.has_begun = true;
        let Self { writer, app, .. } = &mut *self;
        let Some((frames, _)) = writer else { return Poll::Pending };
        let broken = || Poll::Ready(Some(Err(io::Error::other("the stream panicked"))));
        guard::catch_panic(app.as_ref(), || Pin::new(frames).poll_next(cx).map(|frame| frame.map(Ok)))
            .unwrap_or_else(broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_too_many_topics_are_rejected() {
        assert!(topics(Some("activity,player:Abc,guild:abc,board:players:overall,board:guilds:playtime:7d")).is_ok());
        let boards = ["board:", "board:players", "board:players:kd", "board:ships:overall", "board:players:overall:1y"];
        for text in ["", "weather", "player:", "player:a b", "guild:", "guild:A-B"].into_iter().chain(boards) {
            assert!(topics(Some(text)).is_err(), "{text}");
        }
        let many: Vec<String> = (0..21).map(|n| format!("player:pilot{n}")).collect();
        assert!(topics(Some(&many.join(","))).is_err());
    }
}
