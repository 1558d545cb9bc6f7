//! Who asks: the Bearer token of a request, as a [`Viewer`].

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::{FromRequest, HttpRequest};

use crate::domain::viewer::Viewer;
use crate::error::AppError;

/// The credential after `Authorization: Bearer`.
pub fn bearer(request: &HttpRequest) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

impl FromRequest for Viewer {
    type Error = AppError;
    type Future = Ready<Result<Self, AppError>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::Guest))
    }
}
