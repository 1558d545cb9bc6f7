//! Entity tags of what was just made.

use actix_web::HttpRequest;
use actix_web::http::header;
use twox_hash::XxHash3_128;

/// A tag that is the same for the same bytes, whatever they are packed in on the way. No secret hangs on it: a quick hash does.
pub fn weak(body: &[u8]) -> String {
    format!("W/\"{:032x}\"", XxHash3_128::oneshot(body))
}

/// Whether the caller has this already.
pub fn matches(request: &HttpRequest, tag: &str) -> bool {
    let strip = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    known.is_some_and(|known| known.trim() == "*" || known.split(',').any(|one| strip(one) == strip(tag)))
}
