//! Ingest keys of the signed-in user.

use actix_web::web::{Data, Path};

use crate::app::{App, Store};
use crate::features;
use crate::http::body::JsonBody;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::SignedIn;
use crate::views::keys::{CreatedKey, KeyList, NewKey};
use crate::views::sessions::Done;

/// Lists the active keys of the signed-in user, oldest first.
#[utoipa::path(get, path = "/api/keys", responses((status = 200, body = KeyList), Fails<401>))]
pub async fn list(store: Data<Store>, viewer: SignedIn) -> Answer {
    response::ok(&KeyList { keys: features::keys::list_own(&store, &viewer.0).await? })
}

/// Creates a key. Only this response contains its secret.
#[utoipa::path(post, path = "/api/keys", request_body = NewKey,
    responses((status = 200, body = CreatedKey), Fails<400>, Fails<401>, Fails<409>))]
pub async fn create(store: Data<Store>, viewer: SignedIn, body: JsonBody<NewKey>) -> Answer {
    let (key, secret) = features::keys::create_own(&store, &viewer.0, &body.0.name).await?;
    response::ok(&CreatedKey { key, secret })
}

/// Confirms a key from a restored backup, so it can upload again. Admins can confirm any key.
#[utoipa::path(post, path = "/api/keys/{id}/confirm", responses((status = 200, body = Done), Fails<401>, Fails<404>))]
pub async fn confirm(store: Data<Store>, viewer: SignedIn, id: Path<String>) -> Answer {
    response::done(features::keys::confirm_own(&store, &viewer.0, &id).await)
}

/// Revokes a key, which can then no longer upload. Admins can revoke any key.
#[utoipa::path(delete, path = "/api/keys/{id}", responses((status = 200, body = Done), Fails<401>, Fails<404>))]
pub async fn revoke(app: Data<App>, viewer: SignedIn, id: Path<String>) -> Answer {
    response::done(features::keys::revoke_own(&app, &viewer.0, &id).await)
}
