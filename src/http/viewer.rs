//! Who asks: the Bearer token of a request, as a [`Viewer`].

use actix_web::HttpRequest;
use actix_web::http::header;

/// The credential after `Authorization: Bearer`.
pub fn bearer(request: &HttpRequest) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}
