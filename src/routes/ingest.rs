//! Events going in.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::domain::content_encoding::ContentEncoding;
use crate::error::AppError;
use crate::features;
use crate::http::viewer::bearer;
use crate::http::{body, response};
use crate::views::ingest::IngestAnswer;

/// Stores a batch of events. A response with status 200 means that they are on disk.
#[utoipa::path(post, path = "/api/ingest/events", request_body = String,
    responses((status = 200, body = IngestAnswer), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 413, body = response::Failure), (status = 415, body = response::Failure)))]
pub async fn events(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, AppError> {
    let key = bearer(&request)
        .ok_or_else(|| AppError::Unauthorized("Send an ingest key as Authorization: Bearer KEY.".into()))?;
    let reporter = features::keys::authenticate(&app, key).await?;
    let encoding = encoding(&request)?;
    let bytes = body::read(payload, features::ingest::MAX_BYTES, "The batch exceeds 1 MiB.").await?;
    let result = features::ingest::accept(&app.into_inner(), reporter, bytes, encoding).await?;
    response::ok(&result)
}

fn encoding(request: &HttpRequest) -> Result<Option<ContentEncoding>, AppError> {
    let name = request.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?"));
    match name {
        None | Some("" | "identity") => Ok(None),
        Some(name) => match ContentEncoding::parse(name) {
            Some(encoding) => Ok(Some(encoding)),
            None => Err(features::ingest::unsupported_encoding(name)),
        },
    }
}
