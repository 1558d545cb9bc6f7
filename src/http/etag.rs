//! Entity tags and conditional requests (RFC 9110, section 13).

use actix_web::body::MessageBody;
use actix_web::http::header::{self, EntityTag, Header, HeaderValue, IfNoneMatch, TryIntoHeaderPair};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use twox_hash::XxHash3_128;

/// Returns a weak tag of these bytes, the same for each content encoding. A fast hash suffices: tags protect nothing.
pub fn weak(body: &[u8]) -> EntityTag {
    EntityTag::new_weak(format!("{:032x}", XxHash3_128::oneshot(body)))
}

/// Returns whether the client names this version in `If-None-Match`.
pub fn matches(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}

/// A response with an entity tag: 304 without a body if the client has this version, otherwise 200.
pub struct ConditionalResponse {
    builder: HttpResponseBuilder,
    is_unchanged: bool,
}

impl ConditionalResponse {
    pub fn new(request: &HttpRequest, tag: EntityTag, cache_control: &'static str) -> Self {
        let is_unchanged = matches(request, &tag);
        let mut builder = if is_unchanged { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        builder.insert_header((header::ETAG, tag)).insert_header((header::CACHE_CONTROL, cache_control));
        Self { builder, is_unchanged }
    }

    pub fn is_unchanged(&self) -> bool {
        self.is_unchanged
    }

    /// Sets a header of both responses.
    pub fn with_header(mut self, header: impl TryIntoHeaderPair) -> Self {
        self.builder.insert_header(header);
        self
    }

    /// Completes the response. `content_type` and `body` are sent only with status 200.
    pub fn finish(mut self, content_type: HeaderValue, body: impl MessageBody + 'static) -> HttpResponse {
        if self.is_unchanged {
            return self.builder.finish();
        }
        self.builder.insert_header((header::CONTENT_TYPE, content_type)).body(body)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_known_tag_matches_weakly() {
        let tag = weak(b"{}");
        for (known, expected) in [
            (tag.to_string(), true),
            (format!("\"other\", \"{}\"", tag.tag()), true),
            ("*".to_owned(), true),
            ("W/\"other\"".to_owned(), false),
            ("unquoted".to_owned(), false),
        ] {
            let request =
                TestRequest::default().insert_header((header::IF_NONE_MATCH, known.as_str())).to_http_request();
            assert_eq!(matches(&request, &tag), expected, "{known}");
        }
    }
}
