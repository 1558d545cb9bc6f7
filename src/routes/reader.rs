//! Routes of the log reader: login, grammar, and samples of unknown lines.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};

use crate::app::{App, Store};
use crate::config::Settings;
use crate::features;
use crate::http::body::JsonBody;
use crate::http::client;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::{SignedIn, required_bearer};
use crate::views::reader::{
    LoginDecision, LoginStart, LoginStarted, LoginStatus, PendingReaderLogin, SampleBatch, Samples, SamplesAccepted,
};

/// Returns the newest grammar of log lines, for readers that are older than a change of the game.
#[utoipa::path(get, path = "/api/reader/grammar", responses((status = 200, body = Object)))]
pub async fn grammar(settings: Data<Settings>, request: HttpRequest) -> Answer {
    Ok(response::with_etag(&request, features::reader::grammar(&settings).await?.into_bytes()))
}

/// Starts the login of a reader: returns a short code for its owner and a key that is inactive until the code is confirmed.
#[utoipa::path(post, path = "/api/reader/login", request_body = LoginStart,
    responses((status = 200, body = LoginStarted), Fails<400>))]
pub async fn start(app: Data<App>, request: HttpRequest, body: JsonBody<LoginStart>) -> Answer {
    let address = client::address(&request, &app.settings.trusted_proxies);
    response::ok(&features::reader::start_login(&app, &body.0.name, address).await?)
}

/// Returns the state of the login of the key in `Authorization`.
#[utoipa::path(get, path = "/api/reader/login/state",
    responses((status = 200, body = LoginStatus), Fails<401>, Fails<404>))]
pub async fn login_state(store: Data<Store>, request: HttpRequest) -> Answer {
    response::ok(&features::reader::login_status(&store, required_bearer(&request)?).await?)
}

/// Returns the pending login that the signed-in user is about to confirm.
#[utoipa::path(get, path = "/api/reader/login/{code}",
    responses((status = 200, body = PendingReaderLogin), Fails<401>, Fails<404>))]
pub async fn pending_login(app: Data<App>, request: HttpRequest, viewer: SignedIn, code: Path<String>) -> Answer {
    let address = client::address(&request, &app.settings.trusted_proxies);
    response::ok(&features::reader::pending_login(&app, &viewer.0, &code, address).await?)
}

/// Confirms or denies a login. A confirmed reader uploads for the signed-in user.
#[utoipa::path(post, path = "/api/reader/login/{code}/answer", request_body = LoginDecision,
    responses((status = 200, body = LoginStatus), Fails<400>, Fails<401>, Fails<404>))]
pub async fn answer_login(
    app: Data<App>,
    viewer: SignedIn,
    code: Path<String>,
    body: JsonBody<LoginDecision>,
) -> Answer {
    response::ok(&features::reader::answer_login(&app, &viewer.0, &code, body.0.allow).await?)
}

/// Stores lines that a reader could not parse, without names and numbers, so they identify no one.
#[utoipa::path(post, path = "/api/reader/samples", request_body = SampleBatch,
    responses((status = 200, body = SamplesAccepted), Fails<400>))]
pub async fn submit_samples(app: Data<App>, request: HttpRequest, body: JsonBody<SampleBatch>) -> Answer {
    let address = client::address(&request, &app.settings.trusted_proxies);
    response::ok(&SamplesAccepted { taken: features::reader::store_samples(&app, body.0, address).await? })
}

/// Lists the lines that readers could not parse, most reported first; for admins.
#[utoipa::path(get, path = "/api/reader/samples/list", responses((status = 200, body = Samples), Fails<401>))]
pub async fn samples(store: Data<Store>, viewer: SignedIn) -> Answer {
    response::ok(&Samples { samples: features::reader::samples(&store, &viewer.0).await? })
}
