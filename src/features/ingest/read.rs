//! A request body as events: JSON or NDJSON, plain or packed, bounded in every way.

use std::io::Read;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::domain::events::Event;
use crate::domain::json;
use crate::error::AppError;

/// How many bytes a batch has at most, unpacked.
pub const MAX_BYTES: usize = 1024 * 1024;
/// How many events a batch has at most.
pub const MAX_EVENTS: usize = 1_000;

/// How a body is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Plain,
    Gzip,
    Zstd,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

/// An event, or why it cannot be read.
type Told = Result<Event, String>;

/// Reads a body. An unreadable body is an error; an unreadable event only spoils itself.
pub fn read(body: &[u8], packing: Packing) -> Result<Vec<Told>, AppError> {
    let unpacked;
    let bytes = match packing {
        Packing::Plain => body,
        _ => {
            unpacked = unpack(body, packing)?;
            &unpacked
        }
    };
    if bytes.len() > MAX_BYTES {
        return Err(too_large());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable("The body is not UTF-8"))?;
    let told = match json::read::<Body>(text.as_bytes(), "The body") {
        Ok(body) => body.events.into_iter().map(|raw| event(raw.get())).collect(),
        Err(error) => lines(text).ok_or_else(|| unreadable(&error.to_string()))?,
    };
    if told.len() > MAX_EVENTS {
        return Err(AppError::PayloadTooLarge(format!(
            "A batch takes at most {MAX_EVENTS} events; this one has {}.",
            told.len()
        )));
    }
    Ok(told)
}

/// One event a line. `None` when not a single line is one.
fn lines(text: &str) -> Option<Vec<Told>> {
    let told: Vec<Told> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(event).collect();
    told.iter().any(Result::is_ok).then_some(told)
}

fn event(json: &str) -> Told {
    json::read(json.as_bytes(), "An event").map_err(|error| error.to_string())
}

fn unpack(body: &[u8], packing: Packing) -> Result<Vec<u8>, AppError> {
    let limit = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::with_capacity((body.len() * 4).min(MAX_BYTES));
    let done = match packing {
        Packing::Plain => return Ok(body.to_vec()),
        Packing::Gzip => flate2::read::MultiGzDecoder::new(body).take(limit).read_to_end(&mut bytes),
        Packing::Zstd => zstd::stream::read::Decoder::new(body).and_then(|d| d.take(limit).read_to_end(&mut bytes)),
    };
    match done {
        Ok(_) if bytes.len() > MAX_BYTES => Err(too_large()),
        Ok(_) => Ok(bytes),
        Err(_) => Err(unreadable("The body does not unpack")),
    }
}

fn too_large() -> AppError {
    AppError::PayloadTooLarge("A batch takes at most 1 MiB unpacked.".into())
}

fn unreadable(why: &str) -> AppError {
    AppError::Validation(format!("{why}. Send {{\"events\": […]}} or one event a line."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const LINE: &str = r#"{"identifier":"login","event_time":1790000000000,"player_name":"Abc"}"#;

    #[test]
    fn both_forms_are_read_packed_or_not() {
        let json = format!("{{\"events\":[{LINE},{LINE}]}}");
        let ndjson = format!("{LINE}\n\n{LINE}\n");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(json.as_bytes()).unwrap();
        let zipped = gzip.finish().unwrap();
        let zstd = zstd::encode_all(ndjson.as_bytes(), 1).unwrap();
        for (body, packing) in [
            (json.as_bytes(), Packing::Plain),
            (ndjson.as_bytes(), Packing::Plain),
            (&zipped[..], Packing::Gzip),
            (&zstd[..], Packing::Zstd),
        ] {
            let told = read(body, packing).unwrap();
            assert_eq!(told.len(), 2);
            assert!(told.iter().all(Result::is_ok));
        }
    }

    #[test]
    fn one_bad_event_spoils_only_itself() {
        let told = read(
            format!("{{\"events\":[{LINE},{{\"identifier\":\"dance\",\"event_time\":1}},7]}}").as_bytes(),
            Packing::Plain,
        )
        .unwrap();
        assert!(told[0].is_ok());
        assert_eq!(told[1].as_ref().unwrap_err(), "identifier 'dance' is not known");
        assert!(told[2].is_err());
    }

    #[test]
    fn what_is_no_batch_at_all_is_refused() {
        for body in ["", "hello", "[]", "{\"events\":7}", "{}"] {
            assert!(matches!(read(body.as_bytes(), Packing::Plain), Err(AppError::Validation(_))), "{body}");
        }
        assert!(matches!(read(b"\x1f\x8bnope", Packing::Gzip), Err(AppError::Validation(_))));
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let zeros = zstd::encode_all(&vec![b' '; 64 * 1024 * 1024][..], 3).unwrap();
        assert!(matches!(read(&zeros, Packing::Zstd), Err(AppError::PayloadTooLarge(_))));
        let many = format!("{LINE}\n").repeat(MAX_EVENTS + 1);
        assert!(matches!(read(many.as_bytes(), Packing::Plain), Err(AppError::PayloadTooLarge(_))));
    }

    #[test]
    fn an_empty_list_is_a_batch() {
        assert_eq!(read(b"{\"events\":[]}", Packing::Plain).unwrap().len(), 0);
    }
}
