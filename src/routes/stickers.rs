//! The catalogue of stickers, and the stickers that admins grant.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::config::Settings;
use crate::features;
use crate::features::stickers::GrantAction;
use crate::http::response::{self, Answer, Failure};
use crate::http::viewer::SignedIn;
use crate::views::sessions::Done;
use crate::views::stickers::{CatalogueSticker, GrantedSticker};

#[derive(Serialize, ToSchema)]
pub struct StickerCatalogue {
    /// In display order.
    pub stickers: Vec<CatalogueSticker>,
}

#[derive(Serialize, ToSchema)]
pub struct GrantedStickers {
    pub stickers: Vec<GrantedSticker>,
}

/// Lists the stickers of this site and how each is earned.
#[utoipa::path(get, path = "/api/stickers",
    responses((status = 200, description = "All stickers, in the order to show them", body = StickerCatalogue)))]
pub async fn catalogue(settings: Data<Settings>, request: HttpRequest) -> Answer {
    response::cacheable(&request, &StickerCatalogue { stickers: features::stickers::catalogue(&settings) })
}

/// Lists all stickers with the players they were granted to; for admins.
#[utoipa::path(get, path = "/api/admin/stickers",
    responses((status = 200, description = "All stickers with their holders", body = GrantedStickers),
        (status = 401, description = "Nobody is signed in", body = Failure),
        (status = 403, description = "Only admins see this", body = Failure)))]
pub async fn holders(app: Data<App>, viewer: SignedIn) -> Answer {
    response::ok(&GrantedStickers { stickers: features::stickers::holders(&app, &viewer.0).await? })
}

/// Grants a sticker, by its id or name, to a player; for admins.
#[utoipa::path(post, path = "/api/admin/stickers/{sticker}/players/{handle}",
    responses((status = 200, description = "The player has the sticker", body = Done),
        (status = 401, description = "Nobody is signed in", body = Failure),
        (status = 403, description = "Only admins grant stickers", body = Failure),
        (status = 404, description = "Sticker or player not found", body = Failure),
        (status = 409, description = "The player already has the sticker", body = Failure)))]
pub async fn grant(app: Data<App>, viewer: SignedIn, path: Path<(String, String)>) -> Answer {
    let (sticker, handle) = path.into_inner();
    response::done(features::stickers::change(&app, &viewer.0, GrantAction::Grant, &sticker, &handle).await)
}

/// Revokes a granted sticker and removes it from the profile; for admins.
#[utoipa::path(delete, path = "/api/admin/stickers/{sticker}/players/{handle}",
    responses((status = 200, description = "The player no longer has the sticker by a grant", body = Done),
        (status = 401, description = "Nobody is signed in", body = Failure),
        (status = 403, description = "Only admins revoke stickers", body = Failure),
        (status = 404, description = "Sticker, player or grant not found", body = Failure)))]
pub async fn revoke(app: Data<App>, viewer: SignedIn, path: Path<(String, String)>) -> Answer {
    let (sticker, handle) = path.into_inner();
    response::done(features::stickers::change(&app, &viewer.0, GrantAction::Revoke, &sticker, &handle).await)
}
