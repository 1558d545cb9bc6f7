//! Packed answers: made in place and at once. A page of JSON is compressed in less time than another thread takes to begin.

use std::cell::RefCell;
use std::io::Write;

use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpRequest, HttpResponse};

use super::embedded;

/// Levels that cost less than a page of a board takes to be read: many pages are asked for once and never again.
const BROTLI_LEVEL: u32 = 4;
const GZIP_LEVEL: u32 = 4;
const ZSTD_LEVEL: i32 = 1;
/// Less fits into two packets as it is.
const MIN_BYTES: u64 = 2_048;
/// The most one answer has. A larger one goes as it is rather than hold up others.
const MAX_BYTES: u64 = 4 << 20;

thread_local! {
    /// Its tables cost more to make than a small answer to pack.
    static ZSTD: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ContentEncoding {
    Zstd,
    Brotli,
    Gzip,
}

impl ContentEncoding {
    pub(super) const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];
    /// Brotli makes its tables anew for each answer: worth it only for what is kept.
    const ON_THE_FLY: [Self; 3] = [Self::Zstd, Self::Gzip, Self::Brotli];

    /// The best that the caller takes for an answer that is kept.
    pub(super) fn of(request: &HttpRequest) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| embedded::accepts_encoding(request, encoding.name()))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    pub(super) fn compress(self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Zstd => ZSTD.with_borrow_mut(|kept| match kept {
                Some(encoder) => encoder.compress(text),
                None => kept.insert(zstd::bulk::Compressor::new(ZSTD_LEVEL)?).compress(text),
            }),
            Self::Brotli => {
                let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4_096, BROTLI_LEVEL, 22);
                encoder.write_all(text)?;
                Ok(encoder.into_inner())
            }
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL));
                encoder.write_all(text)?;
                encoder.finish()
            }
        }
    }
}

/// Marks an answer whose bytes go out as they are: a file with a strong entity tag and ranges, a stream.
struct AsIs;

/// Sends the bytes of an answer as they are.
pub(super) fn without_compression(mut response: HttpResponse) -> HttpResponse {
    response.extensions_mut().insert(AsIs);
    response
}

/// Packs every whole answer of text that nobody has compressed. Streams go through as they are.
pub async fn compress(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let answer = next.call(request).await?.map_into_boxed_body();
    // A 304 stands for an answer that would have been text, and varies as that does.
    let is_unchanged =
        answer.status() == StatusCode::NOT_MODIFIED && !answer.headers().contains_key(header::CONTENT_TYPE);
    if !(is_unchanged || is_text(answer.headers()))
        || answer.headers().contains_key(header::CONTENT_ENCODING)
        || answer.response().extensions().contains::<AsIs>()
    {
        return Ok(answer);
    }
    let is_large =
        matches!(answer.response().body().size(), BodySize::Sized(size) if (MIN_BYTES..=MAX_BYTES).contains(&size));
    let taken = ContentEncoding::ON_THE_FLY
        .into_iter()
        .find(|encoding| embedded::accepts_encoding(answer.request(), encoding.name()));
    let (request, response) = answer.into_parts();
    let (mut response, body) = response.into_parts();
    if !response.headers().contains_key(header::VARY) {
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    let Some(encoding) = taken.filter(|_| is_large) else {
        return Ok(ServiceResponse::new(request, response.set_body(body)));
    };
    let text = to_bytes(body).await?;
    let compressed = encoding.compress(&text)?;
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    Ok(ServiceResponse::new(request, response.set_body(compressed).map_into_boxed_body()))
}

fn is_text(headers: &HeaderMap) -> bool {
    let of_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let of_type = of_type.split(';').next().unwrap_or_default().trim();
    of_type.starts_with("text/") && of_type != "text/event-stream"
        || of_type.ends_with("json")
        || of_type.ends_with("xml")
        || of_type.ends_with("javascript")
}

#[cfg(test)]
mod tests {
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, call_service, init_service};
    use actix_web::{App, HttpResponse, web};

    use super::*;

    pub(in crate::http) fn decompressed(encoding: ContentEncoding, compressed: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match encoding {
            ContentEncoding::Zstd => out = zstd::decode_all(compressed).unwrap(),
            ContentEncoding::Brotli => drop(brotli::BrotliDecompress(&mut &compressed[..], &mut out)),
            ContentEncoding::Gzip => {
                drop(std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(compressed), &mut out))
            }
        }
        out
    }

    #[test]
    fn what_is_packed_comes_out_as_it_went_in_also_the_second_time() {
        for text in [b"{\"success\":true,\"players\":[]}".repeat(40), b"{}".repeat(9_000)] {
            for encoding in ContentEncoding::ALL {
                let compressed = encoding.compress(&text).unwrap();
                assert!(compressed.len() * 4 < text.len(), "{encoding:?}");
                assert_eq!(decompressed(encoding, &compressed), text, "{encoding:?}");
            }
        }
    }

    #[actix_web::test]
    async fn text_is_packed_as_the_caller_takes_it_and_nothing_else_is() {
        let text = "figures and figures ".repeat(200);
        let of_type = |of_type: &'static str, text: String| {
            web::get().to(move || {
                let text = text.clone();
                async move { HttpResponse::Ok().content_type(of_type).body(text) }
            })
        };
        let app = init_service(
            App::new()
                .wrap(from_fn(compress))
                .route("/json", of_type("application/json", text.clone()))
                .route("/small", of_type("application/json", "{}".into()))
                .route("/picture", of_type("image/png", text.clone()))
                .route("/stream", of_type("text/event-stream", text.clone()))
                .route(
                    "/file",
                    web::get()
                        .to(|| async { without_compression(HttpResponse::Ok().content_type("text/plain").body("x")) }),
                )
                .route("/same", web::get().to(HttpResponse::NotModified)),
        )
        .await;
        for (path, accepts, expected) in [
            ("/json", "gzip, deflate, br, zstd", Some(ContentEncoding::Zstd)),
            ("/json", "gzip, br", Some(ContentEncoding::Gzip)),
            ("/json", "br", Some(ContentEncoding::Brotli)),
            ("/json", "", None),
            ("/json", "zstd;q=0", None),
            ("/small", "gzip", None),
            ("/picture", "gzip", None),
            ("/stream", "gzip", None),
            ("/file", "gzip", None),
            ("/same", "gzip", None),
        ] {
            let request = TestRequest::get().uri(path).insert_header((header::ACCEPT_ENCODING, accepts));
            let answer = call_service(&app, request.to_request()).await;
            let encoding =
                answer.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(encoding.as_deref(), expected.map(ContentEncoding::name), "{path} {accepts}");
            let is_told = answer.headers().contains_key(header::VARY);
            assert_eq!(is_told, matches!(path, "/json" | "/small" | "/same"), "{path}");
            let body = to_bytes(answer.into_body()).await.unwrap_or_default();
            match expected {
                Some(encoding) => assert_eq!(decompressed(encoding, &body), text.as_bytes()),
                None => assert!(matches!(path, "/small" | "/file" | "/same") || body == text.as_bytes()),
            }
        }
    }
}
