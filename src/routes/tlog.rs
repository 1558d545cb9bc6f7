//! The transparency log, as C2SP tlog-tiles defines its files, and as JSON.

use actix_web::http::header::HeaderValue;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::{App, Store};
use crate::domain::tlog::{TILE_WIDTH, TilePath};
use crate::error::AppError;
use crate::features::tlog;
use crate::http::compression::without_compression;
use crate::http::etag::{self, ConditionalResponse};
use crate::http::params::Params;
use crate::http::response;
use crate::views::tlog::{LogEntries, LogEntryProof, LogInfo};

const TEXT_TYPE: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const BYTES_TYPE: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Returns size, root, key and newest checkpoint of the transparency log.
#[utoipa::path(get, path = "/api/log", responses((status = 200, body = LogInfo), (status = 404, body = response::Failure)))]
pub async fn info(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    response::cacheable(&request, &tlog::info(&app).await?)
}

/// Lists entries of the transparency log: states of events, and actions of admins. Entries that name hidden players have no line.
#[utoipa::path(get, path = "/api/log/entries",
    params(("start" = Option<i64>, Query, description = "index of the first entry, default 0"),
        ("limit" = Option<i64>, Query, description = "1 to 256, default 100"),
        ("event" = Option<i64>, Query, description = "all entries of the event with this id instead")),
    responses((status = 200, body = LogEntries), (status = 400, body = response::Failure)))]
pub async fn entries(store: web::Data<Store>, request: HttpRequest, params: Params) -> Result<HttpResponse, AppError> {
    let (start, limit) = (params.int("start", 0, 0..=i64::MAX)?, params.int("limit", 100, 1..=tlog::MAX_ENTRIES)?);
    let page = match params.text("event") {
        None => tlog::list(&store, start, limit).await?,
        Some(_) => tlog::list_of_event(&store, params.int("event", 1, 1..=i64::MAX)?).await?,
    };
    response::cacheable(&request, &page)
}

/// Returns an entry of the transparency log with its inclusion proof.
#[utoipa::path(get, path = "/api/log/{index}", params(("index" = i64, Path, description = "position in the log, from 0")),
    responses((status = 200, body = LogEntryProof), (status = 400, body = response::Failure), (status = 404, body = response::Failure)))]
pub async fn entry(
    app: web::Data<App>,
    request: HttpRequest,
    index: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    let number = index.parse().ok().filter(|number: &i64| *number >= 0);
    let number = number.ok_or_else(|| AppError::invalid_value("index", &index, "a whole number from 0"))?;
    response::cacheable(&request, &tlog::entry(&app, number).await?)
}

/// Returns the newest checkpoint as a signed note (c2sp.org/tlog-checkpoint).
#[utoipa::path(get, path = "/log/checkpoint", responses((status = 200, body = String, content_type = "text/plain"),
    (status = 404, body = response::Failure)))]
pub async fn checkpoint(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    let note = tlog::note(&app).await?;
    Ok(ConditionalResponse::new(&request, etag::weak(note.as_bytes()), "no-cache").finish(TEXT_TYPE, note))
}

/// Returns the public key of the log as a verifier key of signed notes.
#[utoipa::path(get, path = "/log/key", responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn key(app: web::Data<App>, request: HttpRequest) -> HttpResponse {
    let key = tlog::verifier_key(&app);
    ConditionalResponse::new(&request, etag::weak(key.as_bytes()), "no-cache").finish(TEXT_TYPE, key)
}

/// Returns a tile of hashes (`LEVEL/INDEX`), or an entry bundle (`entries/INDEX`), as c2sp.org/tlog-tiles defines them. A path with
/// `.p/WIDTH` at its end names the beginning of one. In an entry bundle, a withheld entry has the length 0.
#[utoipa::path(get, path = "/log/tile/{path}", params(("path" = String, Path, description = "such as 0/000 or 0/x001/234.p/5")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = 404, body = response::Failure)))]
pub async fn tile(
    store: web::Data<Store>,
    request: HttpRequest,
    path: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    let tile = TilePath::parse(&path).ok_or_else(|| AppError::NotFound("The log has no such tile.".into()))?;
    let bytes = if tile.is_entries { tlog::bundle(&store, tile).await? } else { tlog::tile(&store, tile).await? };
    // Entries can be withheld later.
    let is_final = !tile.is_entries && tile.width == TILE_WIDTH;
    let caching = if is_final { "public, max-age=31536000, immutable" } else { "no-cache" };
    let response = ConditionalResponse::new(&request, etag::weak(&bytes), caching);
    Ok(without_compression(response.finish(BYTES_TYPE, bytes)))
}
