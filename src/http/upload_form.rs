//! Multipart forms with one picture: small, in time, and refused with a sentence.
//!
//! A body that is too large is read on and thrown away, up to a bound: a sender that is still sending would see its
//! connection break instead of the answer.

use std::time::{Duration, Instant};

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::{HttpRequest, error::PayloadError, web};
use bytes::BytesMut;
use futures_util::{Stream, StreamExt};

use crate::error::AppError;
use crate::features::uploads::{Owner, UploadedFile};

/// Fields of a form; the page sends two.
const FIELDS_MOST: usize = 8;
/// What a form may hold beside its picture.
const EXTRA_BYTES: usize = 64 * 1024;
/// How much of a body that is too large is still read.
const DRAIN_BYTES: usize = 64 * 1024 * 1024;
/// Between two pieces of a body.
const PIECE_TIME: Duration = Duration::from_secs(10);
/// A body may take this long, and a second more for each [`SLOWEST`] bytes of it that are here.
const GRACE: Duration = Duration::from_secs(10);
const SLOWEST: u64 = 16 * 1024;
/// The longest that any body may take.
const MAX_TIME: Duration = Duration::from_secs(300);

/// Reads the fields `image` and, where it is there, `target`.
pub async fn read(request: &HttpRequest, payload: web::Payload, max_bytes: usize) -> Result<UploadedFile, AppError> {
    let mut form = Multipart::new(request.headers(), in_time(payload));
    let (mut image, mut owner) = (None, Owner::Player);
    let mut fields = 0;
    while let Some(field) = form.next().await {
        let mut field = field.map_err(refused)?;
        fields += 1;
        if fields > FIELDS_MOST {
            return Err(AppError::Validation(format!("A form takes at most {FIELDS_MOST} fields.")));
        }
        match field.name().unwrap_or_default() {
            "image" if image.is_some() => return Err(AppError::Validation("Send one picture at a time.".into())),
            "image" => image = Some(bytes(&mut field, max_bytes).await?.freeze()),
            "target" => {
                owner = match &bytes(&mut field, EXTRA_BYTES).await?[..] {
                    b"player" => Owner::Player,
                    b"guild" => Owner::Guild,
                    _ => return Err(AppError::invalid_parameter("target", "one of: player, guild")),
                }
            }
            _ => {
                bytes(&mut field, EXTRA_BYTES).await?;
            }
        }
    }
    let image = image.filter(|image| !image.is_empty());
    let image = image.ok_or_else(|| AppError::Validation("No file provided".into()))?;
    Ok(UploadedFile { image, owner })
}

async fn bytes(field: &mut Field, max_bytes: usize) -> Result<BytesMut, AppError> {
    let mut read = BytesMut::new();
    let mut is_too_large = false;
    while let Some(piece) = field.next().await {
        let piece = piece.map_err(refused)?;
        is_too_large |= read.len() + piece.len() > max_bytes;
        if is_too_large {
            read = BytesMut::new();
        } else {
            read.extend_from_slice(&piece);
        }
    }
    if is_too_large {
        let limit = max_bytes / (1024 * 1024);
        return Err(AppError::PayloadTooLarge(format!("File too large. Maximum size: {limit}MB")));
    }
    Ok(read)
}

/// The body, as long as it comes fast enough and is not without end.
fn in_time(payload: web::Payload) -> impl Stream<Item = Result<bytes::Bytes, PayloadError>> {
    struct Reading {
        payload: web::Payload,
        began: Instant,
        received: usize,
    }
    let late = |why: &str| PayloadError::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, why.to_owned()));
    let begin = Some(Reading { payload, began: Instant::now(), received: 0 });
    futures_util::stream::unfold(begin, move |reading| async move {
        let mut reading = reading?;
        let next = match tokio::time::timeout(PIECE_TIME, reading.payload.next()).await {
            Err(_) => Some(Err(late("nothing came"))),
            Ok(next) => next,
        };
        match next? {
            Ok(piece) => {
                reading.received += piece.len();
                let allowed = GRACE + Duration::from_secs(reading.received as u64 / SLOWEST);
                if reading.received > DRAIN_BYTES {
                    Some((Err(PayloadError::Overflow), None))
                } else if reading.began.elapsed() > allowed.min(MAX_TIME) {
                    Some((Err(late("too slow")), None))
                } else {
                    Some((Ok(piece), Some(reading)))
                }
            }
            Err(error) => Some((Err(error), None)),
        }
    })
    // A form goes on asking after the end.
    .fuse()
    .boxed_local()
}

fn refused(error: MultipartError) -> AppError {
    let sentence = match error {
        MultipartError::ContentTypeMissing | MultipartError::ContentTypeIncompatible => {
            return AppError::UnsupportedMediaType("Send a form of type multipart/form-data.".into());
        }
        MultipartError::Payload(PayloadError::Overflow) => {
            return AppError::PayloadTooLarge("The form is too large.".into());
        }
        MultipartError::Payload(PayloadError::Io(error)) if error.kind() == std::io::ErrorKind::TimedOut => {
            "The form did not come in time."
        }
        MultipartError::Payload(_) | MultipartError::Incomplete => "The form ended before its time.",
        _ => "The form is not readable.",
    };
    AppError::Validation(sentence.into())
}
