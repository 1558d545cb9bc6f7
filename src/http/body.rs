//! JSON bodies: bounded in size and time, refused with a sentence that names what does not fit.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;

use crate::domain::json;
use crate::error::AppError;

const MAX_BYTES: usize = 64 * 1024;
const MAX_TIME: Duration = Duration::from_secs(20);

/// A JSON object of a caller; an empty body is an empty object.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = web::Payload::from_request(request, payload).into_inner();
        Box::pin(async move {
            let payload = payload.map_err(|_| AppError::Validation("The body is not readable.".into()))?;
            let read = tokio::time::timeout(MAX_TIME, payload.to_bytes_limited(MAX_BYTES)).await;
            let bytes = read
                .map_err(|_| AppError::Validation("The body did not come in time.".into()))?
                .map_err(|_| AppError::PayloadTooLarge(format!("The body takes at most {MAX_BYTES} bytes.")))?
                .map_err(|_| AppError::Validation("The body ended before its time.".into()))?;
            let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
            Ok(Self(json::read(text, "The body")?))
        })
    }
}
