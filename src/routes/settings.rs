//! Settings that owners choose for their players and guilds.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::{App, Store};
use crate::domain::viewer::Viewer;
use crate::features;
use crate::http::body::JsonBody;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::SignedIn;
use crate::views::guilds::GuildSettings;
use crate::views::sessions::Done;
use crate::views::settings::{
    GuildSettingsChange, PlayerSettings, PlayerSettingsChange, ShownSettings, StickersChange,
};

/// Message for the user.
#[derive(Serialize, ToSchema)]
pub struct Saved {
    pub message: &'static str,
}

#[derive(Serialize, ToSchema)]
pub struct OwnSettings {
    /// Null without a claimed player.
    pub settings: Option<PlayerSettings>,
}

#[derive(Serialize, ToSchema)]
pub struct GuildSaved {
    pub settings: GuildSettings,
    pub message: &'static str,
}

/// Changes settings of a player. Omitted fields are unchanged, null clears a field.
#[utoipa::path(post, path = "/api/player/settings", request_body = PlayerSettingsChange,
    responses((status = 200, body = Saved), Fails<400>, Fails<401>, Fails<404>))]
pub async fn save(app: Data<App>, viewer: SignedIn, body: JsonBody<PlayerSettingsChange>) -> Answer {
    features::settings::save(&app, &viewer.0, body.0).await?;
    response::ok(&Saved { message: "Profile settings saved successfully!" })
}

/// Returns the settings of the user's player.
#[utoipa::path(get, path = "/api/player/settings/{discordId}",
    responses((status = 200, body = OwnSettings), Fails<401>))]
pub async fn own(store: Data<Store>, viewer: SignedIn, discord_id: Path<String>) -> Answer {
    response::ok(&OwnSettings { settings: features::settings::own_settings(&store, &viewer.0, &discord_id).await? })
}

/// Removes all settings of the user's player.
#[utoipa::path(delete, path = "/api/player/settings/{discordId}", responses((status = 200, body = Saved), Fails<401>))]
pub async fn remove(app: Data<App>, viewer: SignedIn, discord_id: Path<String>) -> Answer {
    features::settings::remove(&app, &viewer.0, &discord_id).await?;
    response::ok(&Saved { message: "Profile settings deleted." })
}

/// Returns the settings of a player and its unlocked stickers.
#[utoipa::path(get, path = "/api/player/settings/handle/{handle}", security((), ("session" = [])),
    responses((status = 200, body = ShownSettings), Fails<404>))]
pub async fn visible(app: Data<App>, request: HttpRequest, viewer: Viewer, handle: Path<String>) -> Answer {
    response::cacheable(&request, &features::settings::visible_settings(&app, &viewer, &handle).await?)
}

/// Changes the stickers on a profile: at most four, and only unlocked ones.
#[utoipa::path(post, path = "/api/player/settings/stickers", request_body = StickersChange,
    responses((status = 200, body = Done), Fails<400>, Fails<401>, Fails<404>))]
pub async fn stickers(app: Data<App>, viewer: SignedIn, body: JsonBody<StickersChange>) -> Answer {
    response::done(features::settings::save_stickers(&app, &viewer.0, body.0).await)
}

/// Changes settings of a guild. Omitted fields are unchanged, null clears a field.
#[utoipa::path(post, path = "/api/guild/settings", request_body = GuildSettingsChange,
    responses((status = 200, body = GuildSaved), Fails<400>, Fails<401>, Fails<404>))]
pub async fn guild(app: Data<App>, viewer: SignedIn, body: JsonBody<GuildSettingsChange>) -> Answer {
    let settings = features::settings::save_guild(&app, &viewer.0, body.0).await?;
    response::ok(&GuildSaved { settings, message: "Guild settings saved successfully!" })
}
