//! Request bodies with events: JSON or NDJSON, optionally compressed, within limits.

use std::borrow::Cow;
use std::io::Read;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::domain::content_encoding::ContentEncoding;
use crate::domain::events::Event;
use crate::domain::json;
use crate::error::AppError;

/// The maximum size of a batch after decompression.
pub const MAX_BYTES: usize = 1024 * 1024;
/// The maximum number of events of a batch.
pub const MAX_EVENTS: usize = 1_000;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

/// An event, or why it cannot be parsed.
pub type ParsedEvent = Result<Event, String>;

/// Parses a body. An invalid body is an error; an invalid event only affects itself.
pub fn parse(body: &[u8], encoding: Option<ContentEncoding>) -> Result<Vec<ParsedEvent>, AppError> {
    let bytes = match encoding {
        None => Cow::Borrowed(body),
        Some(encoding) => Cow::Owned(decompress(body, encoding)?),
    };
    if bytes.len() > MAX_BYTES {
        return Err(too_large());
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| unreadable("The body is not UTF-8"))?;
    let events = match json::read::<Body>(text.as_bytes(), "The body") {
        Ok(body) => body.events.into_iter().map(|raw| event(raw.get())).collect(),
        Err(error) => lines(text).ok_or_else(|| unreadable(&error.to_string()))?,
    };
    if events.len() > MAX_EVENTS {
        return Err(AppError::PayloadTooLarge(format!(
            "The batch has {} events; the limit is {MAX_EVENTS}.",
            events.len()
        )));
    }
    Ok(events)
}

/// Parses one event per line; `None` if no line is an event.
fn lines(text: &str) -> Option<Vec<ParsedEvent>> {
    let events: Vec<ParsedEvent> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(event).collect();
    events.iter().any(Result::is_ok).then_some(events)
}

fn event(json: &str) -> ParsedEvent {
    json::read(json.as_bytes(), "An event").map_err(|error| error.to_string())
}

fn decompress(body: &[u8], encoding: ContentEncoding) -> Result<Vec<u8>, AppError> {
    let limit = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::with_capacity((body.len() * 4).min(MAX_BYTES));
    let done = match encoding {
        ContentEncoding::Gzip => flate2::read::MultiGzDecoder::new(body).take(limit).read_to_end(&mut bytes),
        ContentEncoding::Zstd => {
            zstd::stream::read::Decoder::new(body).and_then(|d| d.take(limit).read_to_end(&mut bytes))
        }
        ContentEncoding::Brotli => return Err(unsupported_encoding(encoding.name())),
    };
    match done {
        Ok(_) if bytes.len() > MAX_BYTES => Err(too_large()),
        Ok(_) => Ok(bytes),
        Err(_) => Err(unreadable("The body cannot be decompressed")),
    }
}

/// The error for a `Content-Encoding` that batches may not have.
pub fn unsupported_encoding(name: &str) -> AppError {
    AppError::UnsupportedMediaType(format!("invalid Content-Encoding '{name}': expected gzip or zstd"))
}

fn too_large() -> AppError {
    AppError::PayloadTooLarge("The batch exceeds 1 MiB after decompression.".into())
}

fn unreadable(why: &str) -> AppError {
    AppError::Validation(format!("{why}. Send {{\"events\": […]}} or one event per line."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const LINE: &str = r#"{"identifier":"login","event_time":1790000000000,"player_name":"Abc"}"#;

    #[test]
    fn json_and_ndjson_are_parsed_compressed_or_not() {
        let json = format!("{{\"events\":[{LINE},{LINE}]}}");
        let ndjson = format!("{LINE}\n\n{LINE}\n");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(json.as_bytes()).unwrap();
        let zipped = gzip.finish().unwrap();
        let zstd = zstd::encode_all(ndjson.as_bytes(), 1).unwrap();
        for (body, encoding) in [
            (json.as_bytes(), None),
            (ndjson.as_bytes(), None),
            (&zipped[..], Some(ContentEncoding::Gzip)),
            (&zstd[..], Some(ContentEncoding::Zstd)),
        ] {
            let events = parse(body, encoding).unwrap();
            assert_eq!(events.len(), 2);
            assert!(events.iter().all(Result::is_ok));
        }
    }

    #[test]
    fn an_invalid_event_affects_only_itself() {
        let events =
            parse(format!("{{\"events\":[{LINE},{{\"identifier\":\"dance\",\"event_time\":1}},7]}}").as_bytes(), None)
                .unwrap();
        assert!(events[0].is_ok());
        assert_eq!(events[1].as_ref().unwrap_err(), "unknown identifier 'dance'");
        assert!(events[2].is_err());
    }

    #[test]
    fn invalid_bodies_are_rejected() {
        for body in ["", "hello", "[]", "{\"events\":7}", "{}"] {
            assert!(matches!(parse(body.as_bytes(), None), Err(AppError::Validation(_))), "{body}");
        }
        assert!(matches!(parse(b"\x1f\x8bnope", Some(ContentEncoding::Gzip)), Err(AppError::Validation(_))));
    }

    #[test]
    fn decompression_stops_at_the_limit() {
        let zeros = zstd::encode_all(&vec![b' '; 64 * 1024 * 1024][..], 3).unwrap();
        assert!(matches!(parse(&zeros, Some(ContentEncoding::Zstd)), Err(AppError::PayloadTooLarge(_))));
        let many = format!("{LINE}\n").repeat(MAX_EVENTS + 1);
        assert!(matches!(parse(many.as_bytes(), None), Err(AppError::PayloadTooLarge(_))));
    }

    #[test]
    fn an_empty_list_is_a_valid_batch() {
        assert_eq!(parse(b"{\"events\":[]}", None).unwrap().len(), 0);
    }
}
