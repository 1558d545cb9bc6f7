//! Files of the web page and other assets, embedded in the binary; the data directory overrides assets file by file.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use actix_files::NamedFile;
use actix_web::http::header::{self, ContentRange, ContentRangeSpec, EntityTag, Header, HeaderValue, IfRange, Range};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;

use super::compression::without_compression;
use super::etag::{self, ConditionalResponse};
use super::headers::LOG_READER_POLICY;
use super::response::Answer;
use crate::domain::content_encoding::ContentEncoding;
use crate::domain::hex;
use crate::error::AppError;

/// The build of the web page.
#[derive(rust_embed::RustEmbed)]
#[folder = "frontend/dist"]
#[exclude = "*.stamp"]
pub struct Page;

/// Images, videos and texts.
#[derive(rust_embed::RustEmbed)]
#[folder = "assets"]
#[include = "static/**"]
#[include = "pages/**"]
pub struct Assets;

/// The script of the page that reads logs, in a worker.
const LOG_READER: &str = "assets/reading.worker-";

/// Responds with a file of the web page, precompressed if the client accepts that; `None` if the file does not exist.
pub fn page_file(request: &HttpRequest, name: &str) -> Option<HttpResponse> {
    if name.is_empty() || name.ends_with(".br") || name.ends_with(".gz") {
        return None;
    }
    // The router has decoded the name, and development builds read files from the disk.
    safe_path(name)?;
    let plain = Page::get(name)?;
    let encoding = ContentEncoding::preferred(request, &[ContentEncoding::Brotli, ContentEncoding::Gzip]);
    let compressed =
        encoding.and_then(|encoding| Some((Page::get(&format!("{name}.{}", encoding.extension()))?, encoding.name())));
    let content_encoding = compressed.as_ref().map(|(_, encoding)| (header::CONTENT_ENCODING, *encoding));
    let (file, encoding) = compressed.unwrap_or((plain, "identity"));
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let response = file_response(request, strong(&file.metadata.sha256_hash(), encoding), cache, name);
    let response = content_encoding.into_iter().fold(response, ConditionalResponse::with_header);
    Some(without_compression(response.finish(content_type(name), to_bytes(file.data))))
}

fn strong(hash: &[u8], encoding: &str) -> EntityTag {
    EntityTag::new_strong(format!("{}-{encoding}", hex::encode(hash.get(..12).unwrap_or(hash))))
}

fn file_response(request: &HttpRequest, tag: EntityTag, cache: &'static str, name: &str) -> ConditionalResponse {
    let response = ConditionalResponse::new(request, tag, cache).with_header((header::VARY, "Accept-Encoding"));
    if name.starts_with(LOG_READER) {
        return response.with_header((header::CONTENT_SECURITY_POLICY, LOG_READER_POLICY));
    }
    response
}

fn to_bytes(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    }
}

fn content_type(name: &str) -> HeaderValue {
    let mime = mime_guess::from_path(name).first_or_octet_stream();
    let text = if mime.type_() == "text" { format!("{mime}; charset=utf-8") } else { mime.to_string() };
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

/// Responds with a file of the data directory, whole or in parts. Clients ask again before they use a cached copy.
pub fn stored_file(request: &HttpRequest, file: NamedFile) -> HttpResponse {
    let mut response = file.prefer_utf8(true).into_response(request);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // `NamedFile` sets `Content-Encoding: identity`, which is not a valid value.
    response.headers_mut().remove(header::CONTENT_ENCODING);
    without_compression(response)
}

/// Responds with an image, video or text by its path below `assets/`; a file in `static_dir` takes precedence.
///
/// Browsers request videos in parts, so ranges of embedded files are supported.
pub async fn asset(request: &HttpRequest, static_dir: &Path, path: &str) -> Answer {
    let missing = || AppError::NotFound("File not found.".into());
    let relative = safe_path(path).ok_or_else(missing)?;
    let below_static = relative.strip_prefix("static").unwrap_or(&relative);
    if let Ok(file) = NamedFile::open(static_dir.join(below_static))
        && file.metadata().is_file()
    {
        return Ok(stored_file(request, file));
    }
    let file = Assets::get(path).ok_or_else(missing)?;
    let hash = file.metadata.sha256_hash();
    let changed = file.metadata.last_modified();
    let cache = "public, max-age=86400";
    let tag = strong(&hash, "identity");
    let length = file.data.len() as u64;
    let mut response = match range(request, &tag, length) {
        None => file_response(request, tag, cache, path).finish(content_type(path), to_bytes(file.data)),
        Some(None) => {
            let unsatisfied = ContentRangeSpec::Bytes { range: None, instance_length: Some(length) };
            HttpResponse::RangeNotSatisfiable().insert_header(ContentRange(unsatisfied)).finish()
        }
        Some(Some((first, last))) => {
            let part = file.data.get(first as usize..=last as usize).unwrap_or_default().to_vec();
            let satisfied = ContentRangeSpec::Bytes { range: Some((first, last)), instance_length: Some(length) };
            HttpResponse::PartialContent()
                .insert_header((header::ETAG, tag))
                .insert_header((header::CACHE_CONTROL, cache))
                .insert_header((header::CONTENT_TYPE, content_type(path)))
                .insert_header(ContentRange(satisfied))
                .body(part)
        }
    };
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Some(secs) = changed {
        let date = header::HttpDate::from(std::time::UNIX_EPOCH + std::time::Duration::from_secs(secs));
        if let Ok(value) = HeaderValue::from_str(&date.to_string()) {
            response.headers_mut().insert(header::LAST_MODIFIED, value);
        }
    }
    Ok(without_compression(response))
}

/// Where the bytes of a text come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSource {
    BuiltIn,
    StaticDir,
}

/// Responds with a text by its path below `assets/`, transformed by `fill`. A file with that path or that name in `static_dir`
/// takes precedence.
pub fn text(
    request: &HttpRequest,
    static_dir: &Path,
    path: &str,
    fill: impl FnOnce(&str, TextSource) -> String,
) -> Answer {
    let missing = || AppError::NotFound("File not found.".into());
    let relative = safe_path(path).ok_or_else(missing)?;
    let name = relative.file_name().ok_or_else(missing)?;
    let custom = [static_dir.join(&relative), static_dir.join(name)].into_iter().find_map(|path| {
        let changed = std::fs::metadata(&path).and_then(|file| file.modified()).ok();
        std::fs::read(path).ok().map(|bytes| (Cow::Owned(bytes), changed))
    });
    let (bytes, changed, source) = match custom {
        Some((bytes, changed)) => (bytes, changed, TextSource::StaticDir),
        None => {
            let file = Assets::get(path).ok_or_else(missing)?;
            let modified = file.metadata.last_modified().map(std::time::Duration::from_secs);
            let changed = modified.map(|since_epoch| std::time::UNIX_EPOCH + since_epoch);
            (file.data, changed, TextSource::BuiltIn)
        }
    };
    let body = fill(&String::from_utf8_lossy(&bytes), source);
    let response = ConditionalResponse::new(request, etag::weak(body.as_bytes()), "no-cache");
    let response = match changed {
        Some(changed) => response.with_header((header::LAST_MODIFIED, header::HttpDate::from(changed))),
        None => response,
    };
    Ok(response.finish(content_type(path), body))
}

/// Returns a relative path if it has no `..`, hidden file, backslash or NUL.
fn safe_path(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let is_safe = path.components().all(|part| match part {
        Component::Normal(name) => name.to_str().is_some_and(|n| !n.starts_with('.') && !n.contains(['\0', '\\'])),
        _ => false,
    });
    is_safe.then(|| path.to_owned())
}

/// Returns the requested byte range, both ends inclusive.
///
/// `None`: the whole file is to be sent, because no single range is requested or `If-Range` names another version.
/// `Some(None)`: the range lies outside of the file.
fn range(request: &HttpRequest, tag: &EntityTag, length: u64) -> Option<Option<(u64, u64)>> {
    let Ok(Range::Bytes(ranges)) = Range::parse(request) else { return None };
    let is_other_version = match IfRange::parse(request) {
        Ok(IfRange::EntityTag(known)) => !known.strong_eq(tag),
        Ok(IfRange::Date(_)) => true,
        Err(_) => request.headers().contains_key(header::IF_RANGE),
    };
    match ranges.as_slice() {
        [range] if !is_other_version => Some(range.to_satisfiable_range(length)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn unsafe_paths_are_rejected() {
        for path in ["../etc/passwd", "static/../../x", "/etc/passwd", "static/.env", "static/a\\b", "static/a\0b"] {
            assert!(safe_path(path).is_none(), "{path:?}");
        }
        assert!(safe_path("static/stickers/683583.png").is_some());
    }

    #[test]
    fn the_script_that_reads_logs_may_make_no_request() {
        let request = TestRequest::default().to_http_request();
        let policy = |name: &str| {
            let response = file_response(&request, strong(b"0123456789ab", "identity"), "no-cache", name);
            let response = response.finish(content_type(name), "");
            response.headers().get("content-security-policy").map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(policy("assets/reading.worker-C5Xe0Hsf.js").as_deref(), Some(LOG_READER_POLICY));
        assert!(LOG_READER_POLICY.starts_with("default-src 'none'") && !LOG_READER_POLICY.contains("connect-src"));
        assert_eq!(policy("assets/upload-C5Xe0Hsf.js"), None);
    }

    #[test]
    fn a_text_names_its_source() {
        let dir = tempfile::tempdir().unwrap();
        let request = TestRequest::default().to_http_request();
        let source = |path: &str| {
            let mut found = None;
            text(&request, dir.path(), path, |text, source| {
                found = Some((text.to_owned(), source));
                String::new()
            })
            .unwrap();
            found.unwrap()
        };
        assert_eq!(source("pages/about.md").1, TextSource::BuiltIn);
        std::fs::create_dir(dir.path().join("pages")).unwrap();
        for file in ["about.md", "pages/about.md"] {
            std::fs::write(dir.path().join(file), "# Us\n").unwrap();
            assert_eq!(source("pages/about.md"), ("# Us\n".to_owned(), TextSource::StaticDir));
            std::fs::remove_file(dir.path().join(file)).unwrap();
        }
    }

    #[test]
    fn ranges_are_limited_to_the_file() {
        let parse = |text: &'static str| {
            let request = TestRequest::default().insert_header((header::RANGE, text)).to_http_request();
            range(&request, &EntityTag::new_strong("t".into()), 10)
        };
        assert_eq!(parse("bytes=0-3"), Some(Some((0, 3))));
        assert_eq!(parse("bytes=5-"), Some(Some((5, 9))));
        assert_eq!(parse("bytes=-4"), Some(Some((6, 9))));
        assert_eq!(parse("bytes=5-99"), Some(Some((5, 9))));
        assert_eq!(parse("bytes=10-12"), Some(None));
        assert_eq!(parse("bytes="), None);
        assert_eq!(parse("bytes=a-b"), None);
        assert_eq!(parse("lines=0-3"), None);
    }
}
