//! Security headers of every response.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;

use super::viewer;

/// Scripts come only from this origin; images may also be created by the page (crop editor, previews).
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    media-src 'self'; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// Of the script that reads logs: it compiles the parser, and the browser lets it send nothing anywhere.
pub const LOG_READER_POLICY: &str = "default-src 'none'; script-src 'wasm-unsafe-eval'";

const FIXED: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

/// Middleware that adds each security header that the response has not set.
pub async fn add_security_headers(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let is_https = request.connection_info().scheme() == "https";
    let mut response = next.call(request).await?;
    viewer::mark_private(&mut response);
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        let name = HeaderName::from_static(name);
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if is_https {
        let value = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert(HeaderName::from_static("strict-transport-security"), value);
    }
    Ok(response)
}
