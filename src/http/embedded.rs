//! The page and all pictures, out of the binary or, file by file, out of the data directory.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

use super::compression::without_compression;
use super::etag;
use crate::error::AppError;

/// The compiled page.
#[derive(rust_embed::RustEmbed)]
#[folder = "frontend/dist"]
#[exclude = "*.stamp"]
pub struct Page;

/// Pictures, films, texts.
#[derive(rust_embed::RustEmbed)]
#[folder = "assets"]
#[include = "static/**"]
#[include = "pages/**"]
pub struct Assets;

/// A file of the page, in the packing the caller takes; `None` when there is no such file.
pub fn page_file(request: &HttpRequest, name: &str) -> Option<HttpResponse> {
    if name.is_empty() || name.ends_with(".br") || name.ends_with(".gz") {
        return None;
    }
    // A name is decoded before it comes here, and a build for development reads from the disk.
    safe_path(name)?;
    let plain = Page::get(name)?;
    let packed = [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .filter(|(encoding, _)| accepts_encoding(request, encoding))
        .find_map(|(encoding, end)| Page::get(&format!("{name}.{end}")).map(|file| (file, encoding)));
    let (file, encoding) = match packed {
        Some((file, encoding)) => (file, Some(encoding)),
        None => (plain, None),
    };
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = strong(&file.metadata.sha256_hash(), encoding.unwrap_or("identity"));
    Some(answer(request, file.data, name, &tag, cache, encoding))
}

/// Whether the caller takes an encoding, `q=0` meaning no.
pub(super) fn accepts_encoding(request: &HttpRequest, encoding: &str) -> bool {
    let accepted = request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.unwrap_or_default().split(',').any(|one| {
        let mut parts = one.trim().split(';');
        parts.next() == Some(encoding) && !parts.any(|q| matches!(q.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn strong(hash: &[u8], encoding: &str) -> String {
    let short: String = hash.iter().take(12).map(|b| format!("{b:02x}")).collect();
    format!("\"{short}-{encoding}\"")
}

fn answer(
    request: &HttpRequest,
    body: Cow<'static, [u8]>,
    name: &str,
    tag: &str,
    cache: &'static str,
    encoding: Option<&str>,
) -> HttpResponse {
    let is_known = etag::matches(request, tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, tag))
        .insert_header((header::CACHE_CONTROL, cache))
        .insert_header((header::VARY, "Accept-Encoding"))
        .insert_header((header::CONTENT_TYPE, content_type(name)));
    if let Some(encoding) = encoding {
        response.insert_header((header::CONTENT_ENCODING, encoding));
    }
    without_compression(match body {
        _ if is_known => response.finish(),
        Cow::Borrowed(bytes) => response.body(bytes::Bytes::from_static(bytes)),
        Cow::Owned(bytes) => response.body(bytes),
    })
}

fn content_type(name: &str) -> HeaderValue {
    let mime = mime_guess::from_path(name).first_or_octet_stream();
    let text = if mime.type_() == "text" { format!("{mime}; charset=utf-8") } else { mime.to_string() };
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

/// A picture, film or text by its path below `assets/`: the data directory's own one first.
///
/// Films are asked for in parts, so a `Range` of embedded bytes is answered too.
pub async fn asset(request: &HttpRequest, own: &Path, path: &str) -> Result<HttpResponse, AppError> {
    let missing = || AppError::NotFound("There is no such file.".into());
    let relative = safe_path(path).ok_or_else(missing)?;
    let below_static = relative.strip_prefix("static").unwrap_or(&relative);
    if let Ok(file) = actix_files::NamedFile::open(own.join(below_static))
        && file.metadata().is_file()
    {
        let mut response = file.prefer_utf8(true).into_response(request);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        // The file service names the encoding of what is not encoded.
        response.headers_mut().remove(header::CONTENT_ENCODING);
        return Ok(without_compression(response));
    }
    let file = Assets::get(path).ok_or_else(missing)?;
    let hash = file.metadata.sha256_hash();
    let changed = file.metadata.last_modified();
    let cache = "public, max-age=86400";
    let tag = strong(&hash, "identity");
    let mut response = match range(request, &tag, file.data.len()) {
        None => answer(request, file.data, path, &tag, cache, None),
        Some(Err(())) => HttpResponse::RangeNotSatisfiable()
            .insert_header((header::CONTENT_RANGE, format!("bytes */{}", file.data.len())))
            .finish(),
        Some(Ok((from, to))) => {
            let part = file.data.get(from..=to).unwrap_or_default().to_vec();
            HttpResponse::PartialContent()
                .insert_header((header::ETAG, tag))
                .insert_header((header::CACHE_CONTROL, cache))
                .insert_header((header::CONTENT_TYPE, content_type(path)))
                .insert_header((header::CONTENT_RANGE, format!("bytes {from}-{to}/{}", file.data.len())))
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

/// A text by its path below `assets/`, as `fill` makes it. One of that path in the data directory, or of that name at the
/// top of it, comes first.
pub fn text(
    request: &HttpRequest,
    own: &Path,
    path: &str,
    fill: impl FnOnce(&str) -> String,
) -> Result<HttpResponse, AppError> {
    let missing = || AppError::NotFound("There is no such file.".into());
    let relative = safe_path(path).ok_or_else(missing)?;
    let name = relative.file_name().ok_or_else(missing)?;
    let theirs = [own.join(&relative), own.join(name)].into_iter().find_map(|path| {
        let changed = std::fs::metadata(&path).and_then(|file| file.modified()).ok();
        std::fs::read(path).ok().map(|bytes| (Cow::Owned(bytes), changed))
    });
    let (bytes, changed) = match theirs {
        Some(found) => found,
        None => {
            let file = Assets::get(path).ok_or_else(missing)?;
            let since = file.metadata.last_modified().map(std::time::Duration::from_secs);
            (file.data, since.map(|since| std::time::UNIX_EPOCH + since))
        }
    };
    let body = fill(&String::from_utf8_lossy(&bytes));
    let tag = etag::weak(body.as_bytes());
    let is_known = etag::matches(request, &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, tag))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_TYPE, content_type(path)));
    if let Some(changed) = changed {
        response.insert_header((header::LAST_MODIFIED, header::HttpDate::from(changed)));
    }
    Ok(if is_known { response.finish() } else { response.body(body) })
}

/// A path without any step up, hidden file or odd byte.
fn safe_path(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let is_plain = path.components().all(|part| match part {
        Component::Normal(name) => name.to_str().is_some_and(|n| !n.starts_with('.') && !n.contains(['\0', '\\'])),
        _ => false,
    });
    is_plain.then(|| path.to_owned())
}

/// One byte range, both ends included. `None`: the whole; `Some(Err)`: not to be had.
fn range(request: &HttpRequest, tag: &str, length: usize) -> Option<Result<(usize, usize), ()>> {
    let header_text = |name| request.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let wanted = header_text(header::RANGE)?.strip_prefix("bytes=")?;
    if header_text(header::IF_RANGE).is_some_and(|known| known != tag) || wanted.contains(',') {
        return None;
    }
    let (from, to) = wanted.split_once('-')?;
    let last = length.checked_sub(1)?;
    let bounds = match (from.trim().parse::<usize>(), to.trim().parse::<usize>()) {
        (Ok(from), Ok(to)) => (from, to.min(last)),
        (Ok(from), Err(_)) if to.trim().is_empty() => (from, last),
        (Err(_), Ok(count)) if from.trim().is_empty() && count > 0 => (length.saturating_sub(count), last),
        _ => return None,
    };
    Some(if bounds.0 <= bounds.1 && bounds.0 < length { Ok(bounds) } else { Err(()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn steps_up_and_hidden_files_are_no_paths() {
        for path in ["../etc/passwd", "static/../../x", "/etc/passwd", "static/.env", "static/a\\b", "static/a\0b"] {
            assert!(safe_path(path).is_none(), "{path:?}");
        }
        assert!(safe_path("static/stickers/683583.png").is_some());
    }

    #[test]
    fn ranges_are_cut_to_what_is_there() {
        let ask = |text: &'static str| {
            let request = TestRequest::default().insert_header((header::RANGE, text)).to_http_request();
            range(&request, "\"t\"", 10)
        };
        assert_eq!(ask("bytes=0-3"), Some(Ok((0, 3))));
        assert_eq!(ask("bytes=5-"), Some(Ok((5, 9))));
        assert_eq!(ask("bytes=-4"), Some(Ok((6, 9))));
        assert_eq!(ask("bytes=5-99"), Some(Ok((5, 9))));
        assert_eq!(ask("bytes=10-12"), Some(Err(())));
        assert_eq!(ask("bytes="), None);
        assert_eq!(ask("bytes=a-b"), None);
        assert_eq!(ask("lines=0-3"), None);
    }

    #[test]
    fn an_encoding_with_no_weight_is_not_taken() {
        let request = TestRequest::default().insert_header((header::ACCEPT_ENCODING, "br;q=0, gzip")).to_http_request();
        assert!(!accepts_encoding(&request, "br"));
        assert!(accepts_encoding(&request, "gzip"));
    }
}
