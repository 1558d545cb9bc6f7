//! What other services send us, signed.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
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
    let commits = features::commits::push(&app, event, header("x-hub-signature-256"), &bytes).await?;
    answer::ok(&Pushed { commits })
}
