//! Response compression, on the worker thread: a page of JSON compresses faster than another thread would start.

use std::cell::RefCell;
use std::io::Write;

use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, AcceptEncoding, Encoding, Header, HeaderMap, HeaderValue, Preference, Quality};
use actix_web::middleware::Next;
use actix_web::{HttpRequest, HttpResponse};

use crate::domain::content_encoding::ContentEncoding;

/// Compressing a leaderboard page at these levels takes less time than computing it: many pages are requested only once.
const BROTLI_LEVEL: u32 = 4;
const GZIP_LEVEL: u32 = 4;
const ZSTD_LEVEL: i32 = 1;
/// Smaller bodies fit into two packets uncompressed.
const MIN_BYTES: u64 = 2_048;
/// Larger bodies are sent uncompressed, because compression would delay other requests of the worker.
const MAX_BYTES: u64 = 4 << 20;

thread_local! {
    /// Reused, because allocating its tables takes longer than compressing a small body.
    static ZSTD: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

impl ContentEncoding {
    /// In order of preference for responses that are sent once: Brotli allocates its tables for each of them.
    const ON_THE_FLY: [Self; 3] = [Self::Zstd, Self::Gzip, Self::Brotli];

    /// Returns the first of `candidates` that the client accepts.
    pub(super) fn preferred(request: &HttpRequest, candidates: &[Self]) -> Option<Self> {
        let accepted = AcceptEncoding::parse(request).ok()?;
        let is_accepted = |candidate: &Self| {
            accepted.iter().any(|entry| {
                entry.quality > Quality::ZERO
                    && matches!(&entry.item, Preference::Specific(Encoding::Known(known)) if known.as_str() == candidate.name())
            })
        };
        candidates.iter().copied().find(is_accepted)
    }

    /// The ending of precompressed files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Zstd => "zst",
            Self::Brotli => "br",
            Self::Gzip => "gz",
        }
    }

    pub(super) fn compress(self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Zstd => ZSTD.with_borrow_mut(|compressor| match compressor {
                Some(compressor) => compressor.compress(text),
                None => compressor.insert(zstd::bulk::Compressor::new(ZSTD_LEVEL)?).compress(text),
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

/// Marks a response whose bytes must not change: a file with a strong entity tag and ranges, or a stream.
struct Uncompressed;

/// Excludes a response from compression.
pub fn without_compression(mut response: HttpResponse) -> HttpResponse {
    response.extensions_mut().insert(Uncompressed);
    response
}

/// Middleware that compresses complete text responses. Streams and compressed responses pass unchanged.
pub async fn compress(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let service_response = next.call(request).await?.map_into_boxed_body();
    // A 304 without a content type belongs to a text response and varies like it.
    let is_unchanged = service_response.status() == StatusCode::NOT_MODIFIED
        && !service_response.headers().contains_key(header::CONTENT_TYPE);
    if !(is_unchanged || is_text(service_response.headers()))
        || service_response.headers().contains_key(header::CONTENT_ENCODING)
        || service_response.response().extensions().contains::<Uncompressed>()
    {
        return Ok(service_response);
    }
    let is_large = matches!(service_response.response().body().size(), BodySize::Sized(size) if (MIN_BYTES..=MAX_BYTES).contains(&size));
    let accepted = ContentEncoding::preferred(service_response.request(), &ContentEncoding::ON_THE_FLY);
    let (request, response) = service_response.into_parts();
    let (mut response, body) = response.into_parts();
    if !response.headers().contains_key(header::VARY) {
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    let Some(encoding) = accepted.filter(|_| is_large) else {
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

    pub(in crate::http) fn decompress(encoding: ContentEncoding, compressed: &[u8]) -> Vec<u8> {
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
    fn compression_is_lossless_also_with_a_reused_compressor() {
        for text in [b"{\"success\":true,\"players\":[]}".repeat(40), b"{}".repeat(9_000)] {
            for encoding in ContentEncoding::ALL {
                let compressed = encoding.compress(&text).unwrap();
                assert!(compressed.len() * 4 < text.len(), "{encoding:?}");
                assert_eq!(decompress(encoding, &compressed), text, "{encoding:?}");
            }
        }
    }

    #[test]
    fn an_encoding_with_quality_zero_is_not_used() {
        let request = TestRequest::default().insert_header((header::ACCEPT_ENCODING, "br;q=0, gzip")).to_http_request();
        let preferred = ContentEncoding::preferred(&request, &[ContentEncoding::Brotli, ContentEncoding::Gzip]);
        assert!(matches!(preferred, Some(ContentEncoding::Gzip)));
    }

    #[actix_web::test]
    async fn only_text_is_compressed_and_as_the_client_accepts() {
        let text = "numbers and numbers ".repeat(200);
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
            let response = call_service(&app, request.to_request()).await;
            let encoding =
                response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(encoding.as_deref(), expected.map(ContentEncoding::name), "{path} {accepts}");
            let varies = response.headers().contains_key(header::VARY);
            assert_eq!(varies, matches!(path, "/json" | "/small" | "/same"), "{path}");
            let body = to_bytes(response.into_body()).await.unwrap_or_default();
            match expected {
                Some(encoding) => assert_eq!(decompress(encoding, &body), text.as_bytes()),
                None => assert!(matches!(path, "/small" | "/file" | "/same") || body == text.as_bytes()),
            }
        }
    }
}
