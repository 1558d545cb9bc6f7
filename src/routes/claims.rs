//! Claiming players and guilds, and releasing players.

use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::{App, Store};
use crate::error::AppError;
use crate::features;
use crate::http::body::JsonBody;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::SignedIn;
use crate::views::claims::{ClaimStarted, ClaimedPlayer, GuildClaim, PlayerClaim, Unlink};
use crate::views::sessions::Done;

#[derive(Serialize, ToSchema)]
pub struct PlayerClaimed {
    pub player: ClaimedPlayer,
    pub message: &'static str,
}

#[derive(Serialize, ToSchema)]
pub struct GuildClaimed {
    /// The tag of the guild that the user can now edit.
    pub guild_ownership: String,
    pub message: &'static str,
}

/// Starts a claim and returns the code for the player's bio on the game's site. At most 5 starts in 10 minutes.
#[utoipa::path(post, path = "/api/player/claim/start", request_body = PlayerClaim,
    responses((status = 200, body = ClaimStarted), Fails<400>, Fails<401>, Fails<404>, Fails<409>, Fails<502>))]
pub async fn start_player(app: Data<App>, viewer: SignedIn, body: JsonBody<PlayerClaim>) -> Answer {
    response::ok(&features::claims::start_player(&app, &viewer.0, &body.0.handle).await?)
}

/// Cancels the current claim.
#[utoipa::path(post, path = "/api/player/claim/cancel", responses((status = 200, body = Done), Fails<401>))]
pub async fn cancel_player(store: Data<Store>, viewer: SignedIn) -> Answer {
    response::done(features::claims::cancel_player(&store, &viewer.0).await)
}

/// Looks for the code in the bio. At most 5 attempts in 10 minutes; a 502 does not count.
#[utoipa::path(post, path = "/api/player/claim/verify", request_body = PlayerClaim,
    responses((status = 200, body = PlayerClaimed), Fails<400>, Fails<401>, Fails<404>, Fails<409>, Fails<502>))]
pub async fn verify_player(app: Data<App>, viewer: SignedIn, body: JsonBody<PlayerClaim>) -> Answer {
    let player = features::claims::verify_player(&app, &viewer.0, &body.0.handle).await?;
    response::ok(&PlayerClaimed { player, message: "Your Star Citizen profile has been successfully claimed!" })
}

/// Starts a claim and returns the code for the organization's texts on the game's site. At most 5 starts in 10 minutes.
#[utoipa::path(post, path = "/api/guild/claim/start", request_body = GuildClaim,
    responses((status = 200, body = ClaimStarted), Fails<400>, Fails<401>, Fails<404>, Fails<409>, Fails<502>))]
pub async fn start_guild(app: Data<App>, viewer: SignedIn, body: JsonBody<GuildClaim>) -> Answer {
    response::ok(&features::claims::start_guild(&app, &viewer.0, &body.0.guild_short).await?)
}

/// Looks for the code on the organization's page. At most 5 attempts in 10 minutes; a 502 does not count.
#[utoipa::path(post, path = "/api/guild/claim/verify", request_body = GuildClaim,
    responses((status = 200, body = GuildClaimed), Fails<400>, Fails<401>, Fails<404>, Fails<409>, Fails<502>))]
pub async fn verify_guild(app: Data<App>, viewer: SignedIn, body: JsonBody<GuildClaim>) -> Answer {
    let guild_ownership = features::claims::verify_guild(&app, &viewer.0, &body.0.guild_short).await?;
    response::ok(&GuildClaimed { guild_ownership, message: "The guild has been successfully claimed!" })
}

/// Releases the user's player. Its statistics remain, its images and stickers are removed, and a hidden player remains hidden until
/// it is claimed again.
#[utoipa::path(delete, path = "/api/player/unlink", request_body = Unlink,
    responses((status = 200, body = Done), Fails<400>, Fails<401>, Fails<409>))]
pub async fn unlink(app: Data<App>, viewer: SignedIn, body: JsonBody<Unlink>) -> Answer {
    if body.0.discord_id.is_some_and(|id| id != viewer.0.discord_id) {
        return Err(AppError::Forbidden("You can only unlink your own profile.".into()));
    }
    response::done(features::claims::unlink(&app, &viewer.0).await)
}
