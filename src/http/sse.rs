//! The live stream: which topics, from where, as `text/event-stream`.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use tokio_stream::StreamExt;

use crate::domain::names::{GuildTag, fold_for_lookup};
use crate::error::AppError;
use crate::features::ingest::{guild_topic, player_topic};
use crate::live::{Resume, Seat, Subscription, Topic};

/// How many topics one stream has at most.
const MAX_TOPICS: usize = 20;
const PLAIN: [&str; 4] = ["activity", "commits", "counts", "patch"];

/// Reads a list such as `activity,player:abc,guild:TAG`.
pub fn topics(text: Option<&str>) -> Result<Vec<Topic>, AppError> {
    let names: Vec<&str> = text.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let takes = "a list of: activity, commits, counts, patch, player:{handle}, guild:{TAG}";
    if names.is_empty() {
        return Err(AppError::parameter("topics", takes));
    }
    if names.len() > MAX_TOPICS {
        return Err(AppError::parameter("topics", &format!("at most {MAX_TOPICS} topics")));
    }
    names.into_iter().map(|name| topic(name).ok_or_else(|| AppError::parameter("topics", takes))).collect()
}

fn topic(name: &str) -> Option<Topic> {
    if PLAIN.contains(&name) {
        return Some(Topic::new(name));
    }
    match name.split_once(':')? {
        ("player", handle) => fold_for_lookup(handle).map(|folded| player_topic(&folded)),
        ("guild", tag) => GuildTag::parse(tag).ok().map(|tag| guild_topic(tag.as_str())),
        _ => None,
    }
}

/// Where a reader that comes back goes on; browsers send the header, scripts may use the parameter.
pub fn resume(request: &HttpRequest, parameter: Option<&str>) -> Result<Resume, AppError> {
    let header = request.headers().get("last-event-id").and_then(|value| value.to_str().ok());
    match header.filter(|text| !text.is_empty()).or(parameter) {
        None => Ok(Resume::Now),
        Some(text) => {
            text.parse().map(Resume::After).map_err(|_| AppError::parameter("Last-Event-ID", "an id of this stream"))
        }
    }
}

/// Answers with a stream, which holds its seat, where seats are counted, to its end. It is never packed, and proxies are asked not to hold it back.
pub fn stream(frames: Subscription, seat: Option<Seat>) -> HttpResponse {
    let frames = frames.map(move |frame| {
        let _ = &seat;
        Ok::<_, actix_web::Error>(frame)
    });
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_topics_and_too_many_are_refused() {
        assert!(topics(Some("activity,player:Abc,guild:abc")).is_ok());
        for text in ["", "weather", "player:", "player:a b", "guild:", "guild:A-B"] {
            assert!(topics(Some(text)).is_err(), "{text}");
        }
        let many: Vec<String> = (0..21).map(|n| format!("player:pilot{n}")).collect();
        assert!(topics(Some(&many.join(","))).is_err());
    }
}
