//! Sign-in, sessions and the signed-in user.

use actix_web::HttpRequest;
use actix_web::http::header;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::{App, Store};
use crate::domain::devices::device_name;
use crate::features;
use crate::http::body::JsonBody;
use crate::http::client;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::{SignedIn, required_bearer};
use crate::views::sessions::{Callback, DiscordLogin, Done, SessionList, SessionsEnded, UserView};

#[derive(Serialize, ToSchema)]
pub struct SignedInAnswer {
    pub user: UserView,
    /// Valid for one hour; sent as `Authorization: Bearer`.
    pub token: String,
}

#[derive(Serialize, ToSchema)]
pub struct TokenAnswer {
    pub token: String,
}

#[derive(Serialize, ToSchema)]
pub struct UserAnswer {
    pub user: UserView,
}

/// Exchanges the code from Discord for a user and a token.
#[utoipa::path(post, path = "/api/auth/discord/callback", request_body = Callback,
    responses((status = 200, body = SignedInAnswer), Fails<400>, Fails<401>, Fails<502>))]
pub async fn callback(app: Data<App>, request: HttpRequest, body: JsonBody<Callback>) -> Answer {
    let address = client::address(&request, &app.settings.trusted_proxies);
    let user_agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let device = device_name(user_agent.unwrap_or_default());
    let (user, token) = features::sessions::sign_in(&app, body.0, address, device).await?;
    response::ok(&SignedInAnswer { user, token })
}

/// Exchanges a token, which may have expired less than 30 days ago, for a new one and retires it. A retired token gets the same
/// new token within 10 seconds; later it ends the session.
#[utoipa::path(post, path = "/api/auth/refresh", responses((status = 200, body = TokenAnswer), Fails<401>))]
pub async fn refresh(app: Data<App>, request: HttpRequest) -> Answer {
    let token = features::sessions::refresh(&app, required_bearer(&request)?).await?;
    response::ok(&TokenAnswer { token })
}

/// Ends the session.
#[utoipa::path(post, path = "/api/auth/logout", responses((status = 200, body = Done), Fails<401>))]
pub async fn logout(app: Data<App>, request: HttpRequest) -> Answer {
    response::done(features::sessions::sign_out(&app, required_bearer(&request)?).await)
}

/// Lists the open sessions of the signed-in user, last seen first.
#[utoipa::path(get, path = "/api/me/sessions", responses((status = 200, body = SessionList), Fails<401>))]
pub async fn list(store: Data<Store>, viewer: SignedIn) -> Answer {
    response::ok(&SessionList { sessions: features::sessions::list(&store, &viewer.0).await? })
}

/// Ends one session of the signed-in user. Its token is no longer valid.
#[utoipa::path(delete, path = "/api/me/sessions/{id}", responses((status = 200, body = Done), Fails<401>, Fails<404>))]
pub async fn end_one(store: Data<Store>, viewer: SignedIn, id: Path<String>) -> Answer {
    response::done(features::sessions::end_session(&store, &viewer.0, &id).await)
}

/// Ends every session of the signed-in user, the current one included.
#[utoipa::path(delete, path = "/api/me/sessions", responses((status = 200, body = SessionsEnded), Fails<401>))]
pub async fn end_every(store: Data<Store>, viewer: SignedIn) -> Answer {
    response::ok(&SessionsEnded { ended: features::sessions::end_all_sessions(&store, &viewer.0).await? })
}

/// Returns the signed-in user.
#[utoipa::path(get, path = "/api/player/me", responses((status = 200, body = UserAnswer), Fails<401>))]
pub async fn me(app: Data<App>, viewer: SignedIn) -> Answer {
    response::ok(&UserAnswer { user: features::sessions::me(&app, &viewer.0).await? })
}

/// Returns the signed-in user of the token. The body is ignored.
#[utoipa::path(post, path = "/api/link/discord-login", request_body = DiscordLogin,
    responses((status = 200, body = UserAnswer), Fails<400>, Fails<401>))]
pub async fn discord_login(app: Data<App>, viewer: SignedIn, body: JsonBody<DiscordLogin>) -> Answer {
    let ids = body.0.discord_user.into_iter().flat_map(|user| [user.discord_id, user.id]).flatten();
    let ids: Vec<String> = ids.collect();
    response::ok(&UserAnswer { user: features::sessions::link(&app, &viewer.0, &ids).await? })
}

/// Returns the signed-in user by Discord id. Other ids are rejected.
#[utoipa::path(get, path = "/api/link/user/{discordId}", responses((status = 200, body = UserAnswer), Fails<401>))]
pub async fn user(app: Data<App>, viewer: SignedIn, discord_id: Path<String>) -> Answer {
    response::ok(&UserAnswer { user: features::sessions::user(&app, &viewer.0, &discord_id).await? })
}
