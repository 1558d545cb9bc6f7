//! Events going in.

use actix_web::http::header;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::domain::content_encoding::ContentEncoding;
use crate::domain::log_header::{LOG_HEADER, LogHeader};
use crate::domain::trust::Reporter;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::bearer;
use crate::http::{body, event_batch};
use crate::views::ingest::{EventBatch, IngestAnswer, KeyAnswer};

/// Stores a batch of events. A response with status 200 means that they are on disk.
///
/// The sender is an ingest key, or a signed-in user, to whom the rules of account keys apply.
#[utoipa::path(post, path = "/api/ingest/events",
    request_body(content((EventBatch = "application/json"), (String = "application/x-ndjson"))),
    params(("Apogee-Log" = Option<String>, Header, description = "The log of the game that all events of the batch come from: \
        `id=…, handle=…, build=…, branch=…, channel=…, reader=…, first=…, last=…`, at most 1 KiB. `id` identifies the log among those \
        of the key: 1 to 64 letters, digits, '-' or '_'. `handle` is the local player that the log names; `build`, `branch`, \
        `channel` and `reader` are 1 to 64 printable ASCII characters; `first` and `last` are the timestamps of the log in epoch \
        milliseconds. `id`, `first` and `last` are required, unknown parameters are ignored, and characters other than letters, \
        digits, '-', '.', '_' and '~' are percent-encoded. An invalid header is rejected with 400. An account key has to send it, with the handle of the player that the account \
        has claimed; for another one the answer is 403 with the code `CLAIM_REQUIRED`.")),
    responses((status = 200, body = IngestAnswer), Fails<400>, Fails<401>, Fails<413>, Fails<415>))]
pub async fn events(app: Data<App>, request: HttpRequest, payload: Payload) -> Answer {
    let reporter = sender(&app, &request).await?;
    let encoding = encoding(&request)?;
    let log = log(&request)?;
    let bytes = body::read(payload, event_batch::MAX_BYTES, "The batch exceeds 1 MiB.").await?;
    let parse = move || event_batch::parse(&bytes, encoding);
    let parsed = web::block(parse).await.map_err(AppError::internal)??;
    let result = features::ingest::accept(&app.into_inner(), reporter, log, parsed).await?;
    response::ok(&result)
}

/// Returns the kind of an ingest key and the player of its account, by which a log reader knows which events to send.
#[utoipa::path(get, path = "/api/ingest/key", responses((status = 200, body = KeyAnswer), Fails<401>))]
pub async fn key(app: Data<App>, request: HttpRequest) -> Answer {
    let reporter = reporter(&app, &request).await?;
    response::ok(&features::ingest::key(&app, reporter).await?)
}

/// The signed-in user, or the owner of the key. Tokens have dots, keys have none.
async fn sender(app: &App, request: &HttpRequest) -> Result<Reporter, AppError> {
    match bearer(request) {
        Some(token) if token.contains('.') => match features::sessions::authenticate(app, token).await? {
            Viewer::Member(member) => features::keys::session_reporter(app, &member).await,
            Viewer::Guest => Err(AppError::Unauthorized("You need to log in with Discord first.".into())),
        },
        _ => reporter(app, request).await,
    }
}

async fn reporter(app: &App, request: &HttpRequest) -> Result<Reporter, AppError> {
    let missing = || AppError::Unauthorized("Send an ingest key as Authorization: Bearer KEY.".into());
    features::keys::authenticate(app, bearer(request).ok_or_else(missing)?).await
}

/// The log that the header names. Two headers are one list, as in all of HTTP.
fn log(request: &HttpRequest) -> Result<Option<LogHeader>, AppError> {
    let values: Vec<_> =
        request.headers().get_all(LOG_HEADER).map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let log = LogHeader::parse(&values.join(",")).map_err(|error| AppError::Validation(error.to_string()))?;
    Ok(Some(log))
}

fn encoding(request: &HttpRequest) -> Result<Option<ContentEncoding>, AppError> {
    let name = request.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?"));
    match name {
        None | Some("" | "identity") => Ok(None),
        Some(name) => ContentEncoding::parse(name).map(Some).ok_or_else(|| event_batch::unsupported_encoding(name)),
    }
}
