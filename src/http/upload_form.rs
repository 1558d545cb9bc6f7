//! Multipart forms with one image, limited in size and duration.
//!
//! The rest of a body that is too large is read and discarded, up to a limit: a client that is still sending would otherwise
//! see a broken connection instead of the response.

use std::time::{Duration, Instant};

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::{HttpRequest, error::PayloadError, web};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};

use crate::error::AppError;
use crate::features::uploads::Owner;

/// Fields of a form. The web page sends two.
const MAX_FIELDS: usize = 8;
/// Size of fields other than the image.
const MAX_OTHER_FIELD_BYTES: usize = 64 * 1024;
/// Size up to which a body that is too large is still read.
const MAX_DRAINED_BYTES: usize = 64 * 1024 * 1024;
/// Time between two chunks of a body.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(10);
/// A body may take this long, plus one second for each [`MIN_BYTES_PER_SEC`] bytes received.
const GRACE_PERIOD: Duration = Duration::from_secs(10);
const MIN_BYTES_PER_SEC: u64 = 16 * 1024;

/// Reads the field `image` and the optional field `target`, by default the player.
pub async fn read(request: &HttpRequest, payload: web::Payload, max_bytes: usize) -> Result<(Bytes, Owner), AppError> {
    let mut form = Multipart::new(request.headers(), limited(payload));
    let (mut image, mut owner) = (None, Owner::Player);
    let mut fields = 0;
    while let Some(field) = form.next().await {
        let mut field = field.map_err(form_error)?;
        fields += 1;
        if fields > MAX_FIELDS {
            return Err(AppError::Validation(format!("The form has more than {MAX_FIELDS} fields.")));
        }
        match field.name().unwrap_or_default() {
            "image" if image.is_some() => return Err(AppError::Validation("Send one image at a time.".into())),
            "image" => image = Some(bytes(&mut field, max_bytes).await?.freeze()),
            "target" => {
                owner = match &bytes(&mut field, MAX_OTHER_FIELD_BYTES).await?[..] {
                    b"player" => Owner::Player,
                    b"guild" => Owner::Guild,
                    _ => return Err(AppError::invalid_parameter("target", "player or guild")),
                }
            }
            _ => {
                bytes(&mut field, MAX_OTHER_FIELD_BYTES).await?;
            }
        }
    }
    let image = image.filter(|image| !image.is_empty());
    let image = image.ok_or_else(|| AppError::Validation("No file provided".into()))?;
    Ok((image, owner))
}

async fn bytes(field: &mut Field, max_bytes: usize) -> Result<BytesMut, AppError> {
    let mut read = BytesMut::new();
    let mut is_too_large = false;
    while let Some(chunk) = field.next().await {
        let chunk = chunk.map_err(form_error)?;
        is_too_large |= read.len() + chunk.len() > max_bytes;
        if is_too_large {
            read = BytesMut::new();
        } else {
            read.extend_from_slice(&chunk);
        }
    }
    if is_too_large {
        let limit = max_bytes / (1024 * 1024);
        return Err(AppError::PayloadTooLarge(format!("File too large. Maximum size: {limit}MB")));
    }
    Ok(read)
}

/// Limits the duration and total size of a body.
fn limited(payload: web::Payload) -> impl Stream<Item = Result<Bytes, PayloadError>> {
    let late = |why: &str| PayloadError::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, why.to_owned()));
    futures_util::stream::unfold(Some((payload, Instant::now(), 0)), move |reading| async move {
        let (mut payload, began, received) = reading?;
        let next = tokio::time::timeout(CHUNK_TIMEOUT, payload.next()).await;
        let chunk = match next.unwrap_or_else(|_| Some(Err(late("no data"))))? {
            Ok(chunk) => chunk,
            Err(error) => return Some((Err(error), None)),
        };
        let received = received + chunk.len();
        let allowed = GRACE_PERIOD + Duration::from_secs(received as u64 / MIN_BYTES_PER_SEC);
        if received > MAX_DRAINED_BYTES {
            return Some((Err(PayloadError::Overflow), None));
        }
        if began.elapsed() > allowed {
            return Some((Err(late("too slow")), None));
        }
        Some((Ok(chunk), Some((payload, began, received))))
    })
    // `Multipart` polls again after the end.
    .fuse()
    .boxed_local()
}

fn form_error(error: MultipartError) -> AppError {
    let sentence = match error {
        MultipartError::ContentTypeMissing | MultipartError::ContentTypeIncompatible => {
            return AppError::UnsupportedMediaType("Send a form of type multipart/form-data.".into());
        }
        MultipartError::Payload(PayloadError::Overflow) => {
            return AppError::PayloadTooLarge("The form is too large.".into());
        }
        MultipartError::Payload(PayloadError::Io(error)) if error.kind() == std::io::ErrorKind::TimedOut => {
            "The form did not arrive in time."
        }
        MultipartError::Payload(_) | MultipartError::Incomplete => "The form is incomplete.",
        _ => "The form cannot be parsed.",
    };
    AppError::Validation(sentence.into())
}
