//! What other services send us, signed.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::bot::{self, interaction::Interaction};
use crate::error::AppError;
use crate::features;
use crate::http::answer;

/// The largest push that is read; GitHub's own limit is 25 MB.
const MAX_BYTES: usize = 25 * 1024 * 1024;

#[derive(Serialize, ToSchema)]
pub struct Pushed {
    /// Commits that were new here.
    pub commits: usize,
}

/// A push of a repository, signed with the site's secret.
#[utoipa::path(post, path = "/api/webhooks/github", request_body = String,
    responses((status = 200, body = Pushed), (status = 400, body = answer::Failure), (status = 401, body = answer::Failure),
        (status = 404, body = answer::Failure), (status = 413, body = answer::Failure)))]
pub async fn github(app: web::Data<App>, request: HttpRequest, body: web::Payload) -> Result<HttpResponse, AppError> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let bytes = body
        .to_bytes_limited(MAX_BYTES)
        .await
        .map_err(|_| AppError::PayloadTooLarge("A push takes at most 25 MB.".into()))?
        .map_err(|_| AppError::Validation("The body ended before its time.".into()))?;
    let event = header("x-github-event").unwrap_or_default();
    let commits =
        features::commits::push(&app, event, header("x-github-delivery"), header("x-hub-signature-256"), &bytes)
            .await?;
    answer::ok(&Pushed { commits })
}

/// The largest interaction that is read.
const MAX_INTERACTION_BYTES: usize = 256 * 1024;

/// A chat command, its completion, or Discord's own check of this address; signed with the application's key.
#[utoipa::path(post, path = "/api/discord/interactions", request_body = String,
    responses((status = 200, body = Object), (status = 400, body = answer::Failure), (status = 401, body = answer::Failure),
        (status = 404, body = answer::Failure), (status = 413, body = answer::Failure)))]
pub async fn discord(app: web::Data<App>, request: HttpRequest, body: web::Payload) -> Result<HttpResponse, AppError> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let bytes = body
        .to_bytes_limited(MAX_INTERACTION_BYTES)
        .await
        .map_err(|_| AppError::PayloadTooLarge("An interaction takes at most 256 KiB.".into()))?
        .map_err(|_| AppError::Validation("The body ended before its time.".into()))?;
    features::interactions::verify(&app, header("x-signature-ed25519"), header("x-signature-timestamp"), &bytes)?;
    let call: Interaction =
        serde_json::from_slice(&bytes).map_err(|_| AppError::Validation("The interaction is not readable.".into()))?;
    Ok(HttpResponse::Ok().json(bot::answer(app.into_inner(), call).await))
}
