//! Request bodies: bounded in size and, by the guard's deadline, in time.

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::{FromRequest, HttpRequest, web};
use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;

use crate::domain::json;
use crate::error::AppError;

const MAX_JSON_BYTES: usize = 64 * 1024;

/// Reads a whole body of at most `max_bytes`; `too_large` is the sentence of a longer one.
pub async fn read(payload: web::Payload, max_bytes: usize, too_large: &str) -> Result<Bytes, AppError> {
    let read = payload.to_bytes_limited(max_bytes).await.map_err(|_| AppError::PayloadTooLarge(too_large.into()))?;
    read.map_err(|error| match error.as_error::<PayloadError>() {
        Some(PayloadError::Io(error)) if error.kind() == std::io::ErrorKind::TimedOut => {
            AppError::Validation("The body did not arrive in time.".into())
        }
        _ => AppError::Validation("The body is incomplete.".into()),
    })
}

/// A JSON object in the body of a request. An empty body is an empty object.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = web::Payload::from_request(request, payload).into_inner();
        Box::pin(async move {
            let payload = payload.map_err(|_| AppError::Validation("The body cannot be read.".into()))?;
            let too_large = format!("The body exceeds {MAX_JSON_BYTES} bytes.");
            let bytes = read(payload, MAX_JSON_BYTES, &too_large).await?;
            let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
            Ok(Self(json::read(text, "The body")?))
        })
    }
}
