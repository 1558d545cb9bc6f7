//! Entity tags of what was just made.

use actix_web::HttpRequest;
use actix_web::http::header;
use sha2::{Digest, Sha256};

/// A tag that is the same for the same bytes, whatever they are packed in on the way.
pub fn weak(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let short: String = digest.iter().take(12).map(|b| format!("{b:02x}")).collect();
    format!("W/\"{short}\"")
}

/// Whether the caller has this already.
pub fn matches(request: &HttpRequest, tag: &str) -> bool {
    let strip = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    known.is_some_and(|known| known.trim() == "*" || known.split(',').any(|one| strip(one) == strip(tag)))
}
