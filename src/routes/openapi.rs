//! The description of every route, made from the code.

use actix_web::{HttpRequest, HttpResponse};
use utoipa::OpenApi;

use crate::error::AppError;
use crate::http::etag;

use super::{
    account, activity, admin, claims, commits, guilds, health, ingest, keys, leaderboard, live, pages, patch, players,
    reader, search, sessions, settings, site, stickers, uploads, visits, webhooks,
};

#[derive(OpenApi)]
#[openapi(
    info(title = "Apogee", description = "Statistics, rankings and profiles of players and guilds."),
    paths(
        health::health,
        health::ready,
        health::metrics,
        site::config,
        pages::oembed,
        reader::grammar,
        reader::start,
        reader::standing,
        reader::asked,
        reader::answer_login,
        reader::take_samples,
        reader::samples,
        patch::counts,
        patch::current,
        leaderboard::top,
        leaderboard::players,
        leaderboard::guilds,
        search::fast,
        search::players,
        search::guilds,
        activity::newest,
        activity::event,
        commits::list,
        live::stream,
        ingest::events,
        sessions::callback,
        sessions::refresh,
        sessions::logout,
        sessions::me,
        sessions::discord_login,
        sessions::user,
        claims::start_player,
        claims::cancel_player,
        claims::verify_player,
        claims::unlink,
        claims::start_guild,
        claims::verify_guild,
        settings::save,
        settings::own,
        settings::remove,
        settings::shown,
        settings::stickers,
        settings::guild,
        players::update,
        players::profile,
        players::weapons,
        players::vehicles,
        players::missions,
        players::activity,
        players::history,
        players::view,
        guilds::profile,
        guilds::stats,
        guilds::settings,
        guilds::members,
        guilds::activity,
        admin::state,
        admin::run_job,
        admin::switch_feed,
        admin::webhook,
        admin::deliver_again,
        admin::sign_out,
        stickers::catalogue,
        stickers::holders,
        stickers::grant,
        stickers::revoke,
        guilds::view,
        keys::list,
        keys::create,
        keys::revoke,
        account::export,
        account::delete,
        uploads::profile_image,
        uploads::profile_banner_image,
        uploads::guild_image,
        uploads::banner_image,
        uploads::cropped_profile_image,
        uploads::cropped_banner_image,
        uploads::remove,
        visits::track,
        webhooks::github,
        webhooks::discord,
    ),
    // Parameters alone name it, and what they name is not collected by itself.
    components(schemas(crate::domain::scores::Metric)),
    modifiers(&Everywhere)
)]
pub struct Description;

/// What any route may answer, whatever else it says: refusals of those who ask too often, and failures of ours.
struct Everywhere;

impl utoipa::Modify for Everywhere {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::{Content, Ref, RefOr, ResponseBuilder};
        for item in document.paths.paths.values_mut() {
            for operation in [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten() {
                for (status, description) in [
                    ("403", "Not for you, or this address is shut out for a while"),
                    ("429", "Too many requests; Retry-After says when to come again"),
                    ("500", "Something went wrong on our side"),
                    ("503", "Too much to do right now; Retry-After says when to come again"),
                ] {
                    let failure = Content::new(Some(Ref::from_schema_name("Failure")));
                    let response = ResponseBuilder::new().description(description).content("application/json", failure);
                    operation.responses.responses.entry(status.into()).or_insert_with(|| RefOr::T(response.build()));
                }
            }
        }
    }
}

/// The description as JSON text.
pub fn text() -> Result<String, AppError> {
    Description::openapi().to_pretty_json().map_err(AppError::internal)
}

pub async fn document(request: HttpRequest) -> Result<HttpResponse, AppError> {
    let text = text()?;
    let tag = etag::weak(text.as_bytes());
    if etag::matches(&request, &tag) {
        return Ok(HttpResponse::NotModified().insert_header(("etag", tag)).finish());
    }
    Ok(HttpResponse::Ok().insert_header(("etag", tag)).content_type("application/json").body(text))
}
