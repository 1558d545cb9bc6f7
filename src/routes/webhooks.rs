//! Signed webhooks of other services.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::bot::{self, interaction::Interaction};
use crate::domain::json;
use crate::features;
use crate::http::response::{self, Answer, Fails};
use crate::http::signed_body::SignedBodies;

#[derive(Serialize, ToSchema)]
pub struct Pushed {
    /// Commits that were not stored before.
    pub commits: usize,
}

/// Stores the commits of a push, signed with the site's secret.
#[utoipa::path(post, path = "/api/webhooks/github", request_body = String,
    responses((status = 200, body = Pushed), Fails<400>, Fails<401>, Fails<404>, Fails<413>))]
pub async fn github(app: Data<App>, bodies: Data<SignedBodies>, request: HttpRequest, body: Payload) -> Answer {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let signature = header("x-hub-signature-256");
    features::commits::require_signature(&app.settings, signature)?;
    let bytes = bodies.pushes.read(&app.settings, &request, body).await?;
    let event = header("x-github-event").unwrap_or_default();
    let commits = features::commits::handle_push(&app, event, header("x-github-delivery"), signature, &bytes).await?;
    response::ok(&Pushed { commits })
}

/// Responds to a chat command, its completion, or Discord's check of this address, signed with the application's key.
#[utoipa::path(post, path = "/api/discord/interactions", request_body = String,
    responses((status = 200, body = Object), Fails<400>, Fails<401>, Fails<404>, Fails<413>))]
pub async fn discord(app: Data<App>, bodies: Data<SignedBodies>, request: HttpRequest, body: Payload) -> Answer {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let (signature, timestamp) = (header("x-signature-ed25519"), header("x-signature-timestamp"));
    features::interactions::require_signature(&app, signature, timestamp)?;
    let bytes = bodies.interactions.read(&app.settings, &request, body).await?;
    features::interactions::verify(&app, signature, timestamp, &bytes)?;
    let call: Interaction = json::read(&bytes, "The interaction")?;
    Ok(HttpResponse::Ok().json(bot::respond(app.into_inner(), call).await))
}
