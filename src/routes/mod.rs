//! The URL table. Each handler extracts its input, calls one feature and responds.

mod account;
mod activity;
mod admin;
mod avatars;
mod cards;
mod claims;
mod commits;
mod guilds;
mod health;
mod ingest;
mod keys;
pub mod leaderboard;
mod live;
mod moderation;
pub mod openapi;
mod pages;
mod patch;
mod players;
mod reader;
mod search;
mod sessions;
mod settings;
mod site;
mod stickers;
mod uploads;
mod visits;
mod webhooks;

use actix_web::body::BoxBody;
use actix_web::dev::{HttpServiceFactory, ServiceRequest};
use actix_web::http::header;
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Resource, ResponseError, Route, guard};

use crate::error::AppError;
use crate::http::guard::guard_request;

/// Registers all routes. More specific paths come first.
#[expect(clippy::too_many_lines, reason = "a table")]
pub fn table(config: &mut ServiceConfig) {
    config
        .service(get("/api/health", read().to(health::health)))
        .service(get("/api/ready", read().to(health::ready)))
        .service(get("/metrics", read().to(health::metrics)))
        .service(get("/api/openapi.json", read().to(openapi::document)))
        .service(get("/api/reader/grammar", read().to(reader::grammar)))
        .service(post("/api/reader/login", web::post().to(reader::start)))
        .service(get("/api/reader/login/state", read().to(reader::login_state)))
        .service(post("/api/reader/login/{code}/answer", web::post().to(reader::answer_login)))
        .service(get("/api/reader/login/{code}", read().to(reader::pending_login)))
        .service(get("/api/reader/samples/list", read().to(reader::samples)))
        .service(post("/api/reader/samples", web::post().to(reader::submit_samples)))
        .service(get("/api/config", read().to(site::config)))
        .service(get("/api/stickers", read().to(stickers::catalogue)))
        .service(get("/api/oembed", read().to(pages::oembed)))
        .service(get("/api/stats/counts", read().to(patch::counts)))
        .service(get("/api/patch", read().to(patch::current)))
        .service(get("/api/players/top", read().to(leaderboard::top)))
        .service(get("/api/players/leaderboard", read().to(leaderboard::players)))
        .service(get("/api/guilds/leaderboard", read().to(leaderboard::guilds)))
        .service(get("/api/search/fast", read().to(search::fast)))
        .service(get("/api/search/players", read().to(search::players)))
        .service(get("/api/search/guilds", read().to(search::guilds)))
        .service(get("/api/activity", read().to(activity::newest)))
        .service(get("/api/activity/{id}", read().to(activity::event)))
        .service(get("/api/commits", read().to(commits::list)))
        .service(get("/api/live", read().to(live::stream)))
        .service(post("/api/ingest/events", web::post().to(ingest::events)))
        .service(get("/api/ingest/key", read().to(ingest::key)))
        .service(post("/api/auth/discord/callback", web::post().to(sessions::callback)))
        .service(post("/api/auth/refresh", web::post().to(sessions::refresh)))
        .service(post("/api/auth/logout", web::post().to(sessions::logout)))
        .service(get("/api/player/me", read().to(sessions::me)))
        .service(post("/api/link/discord-login", web::post().to(sessions::discord_login)))
        .service(get("/api/link/user/{discordId}", read().to(sessions::user)))
        .service(post("/api/player/claim/start", web::post().to(claims::start_player)))
        .service(post("/api/player/claim/cancel", web::post().to(claims::cancel_player)))
        .service(post("/api/player/claim/verify", web::post().to(claims::verify_player)))
        .service(delete("/api/player/unlink", web::delete().to(claims::unlink)))
        .service(post("/api/guild/claim/start", web::post().to(claims::start_guild)))
        .service(post("/api/guild/claim/verify", web::post().to(claims::verify_guild)))
        .service(post("/api/player/settings", web::post().to(settings::save)))
        .service(post("/api/player/settings/stickers", web::post().to(settings::stickers)))
        .service(get("/api/player/settings/handle/{handle}", read().to(settings::visible)))
        .service(get_and_delete(
            "/api/player/settings/{discordId}",
            read().to(settings::own),
            web::delete().to(settings::remove),
        ))
        .service(post("/api/guild/settings", web::post().to(settings::guild)))
        .service(post("/api/player/update-profile/{handle}", web::post().to(players::update)))
        .service(get("/api/player/{handle}/weapons", read().to(players::weapons)))
        .service(get("/api/player/{handle}/vehicles", read().to(players::vehicles)))
        .service(get("/api/player/{handle}/missions", read().to(players::missions)))
        .service(get("/api/player/{handle}/activity", read().to(players::activity)))
        .service(get("/api/player/{handle}/history", read().to(players::history)))
        .service(post("/api/player/{handle}/view", web::post().to(players::view)))
        .service(get("/api/player/{handle}", read().to(players::profile)))
        .service(get("/api/guild/stats/{tag}", read().to(guilds::stats)))
        .service(get("/api/guild/settings/{tag}", read().to(guilds::settings)))
        .service(post("/api/guild/{tag}/view", web::post().to(guilds::view)))
        .service(get("/api/guild/{tag}/members", read().to(guilds::members)))
        .service(get("/api/guild/{tag}/activity", read().to(guilds::activity)))
        .service(get("/api/guild/{tag}", read().to(guilds::profile)))
        .service(get("/api/admin/state", read().to(admin::state)))
        .service(post("/api/admin/jobs/{name}/run", web::post().to(admin::run_job)))
        .service(post("/api/admin/statsfeed/{id}/{switch}", web::post().to(admin::switch_feed)))
        .service(post("/api/admin/webhooks/{name}/{act}", web::post().to(admin::webhook)))
        .service(post("/api/admin/deliveries/{id}/again", web::post().to(admin::deliver_again)))
        .service(post("/api/admin/users/{id}/sign-out", web::post().to(admin::sign_out)))
        .service(get_and_post("/api/admin/moderation", read().to(moderation::list), web::post().to(moderation::start)))
        .service(post("/api/admin/moderation/{id}/undo", web::post().to(moderation::undo)))
        .service(get("/api/admin/reports", read().to(moderation::reports)))
        .service(get("/api/admin/stickers", read().to(stickers::holders)))
        .service(post_and_delete(
            "/api/admin/stickers/{sticker}/players/{handle}",
            web::post().to(stickers::grant),
            web::delete().to(stickers::revoke),
        ))
        .service(get_and_post("/api/keys", read().to(keys::list), web::post().to(keys::create)))
        .service(post("/api/keys/{id}/confirm", web::post().to(keys::confirm)))
        .service(delete("/api/keys/{id}", web::delete().to(keys::revoke)))
        .service(get("/api/me/export", read().to(account::export)))
        .service(get_and_delete("/api/me/sessions", read().to(sessions::list), web::delete().to(sessions::end_every)))
        .service(delete("/api/me/sessions/{id}", web::delete().to(sessions::end_one)))
        .service(delete("/api/me", web::delete().to(account::delete)))
        .service(post("/api/upload/profile-image", web::post().to(uploads::profile_image)))
        .service(post("/api/upload/profile-banner-image", web::post().to(uploads::profile_banner_image)))
        .service(post("/api/upload/guild-image", web::post().to(uploads::guild_image)))
        .service(post("/api/upload/banner-image", web::post().to(uploads::banner_image)))
        .service(post("/api/upload/cropped-profile-image", web::post().to(uploads::cropped_profile_image)))
        .service(post("/api/upload/cropped-banner-image", web::post().to(uploads::cropped_banner_image)))
        .service(delete("/api/upload/image", web::delete().to(uploads::remove)))
        .service(post("/api/analytics/track", web::post().to(visits::track)))
        .service(post("/api/webhooks/github", web::post().to(webhooks::github)))
        .service(post("/api/discord/interactions", web::post().to(webhooks::discord)))
        .service(get("/uploads/{name}", read().to(uploads::picture)))
        .service(get("/avatars/users/{id}/{key}", read().to(avatars::avatar)))
        .service(get("/avatars/{key}", read().to(avatars::picture)))
        .service(get("/help_en.md", read().to(pages::help)))
        .service(get("/app_readme.md", read().to(pages::app_readme)))
        .service(get("/pages/{path:.*}", read().to(pages::text)))
        .service(get("/static/{path:.*}", read().to(pages::asset)))
        .service(get("/og/player/{handle}.png", read().to(cards::player)))
        .service(get("/og/guild/{tag}.png", read().to(cards::guild)))
        .service(get("/sitemap.xml", read().to(pages::sitemap)))
        .service(get("/robots.txt", read().to(pages::robots)))
        .service(get("/manifest.webmanifest", read().to(pages::manifest)))
        .service(get("/favicon.ico", read().to(pages::favicon)))
        .service(get("/assets/{path:.*}", read().to(pages::built)))
        .service(fallback("/api/{path:.*}", unknown_path))
        .service(fallback("/uploads/{path:.*}", missing_file))
        .service(fallback("/og/{path:.*}", missing_file))
        .default_service(
            web::to(pages::any)
                .wrap(from_fn(|request: ServiceRequest, next: Next<BoxBody>| guard_request("", request, next))),
        );
}

/// A GET route that also serves HEAD, without the body.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// A path with GET and HEAD.
fn get(pattern: &'static str, route: Route) -> impl HttpServiceFactory + 'static {
    resource(pattern, "GET, HEAD", [route])
}

/// A path with POST.
fn post(pattern: &'static str, route: Route) -> impl HttpServiceFactory + 'static {
    resource(pattern, "POST", [route])
}

/// A path with GET, HEAD and POST.
fn get_and_post(pattern: &'static str, get: Route, post: Route) -> impl HttpServiceFactory + 'static {
    resource(pattern, "GET, HEAD, POST", [get, post])
}

/// A path with DELETE.
fn delete(pattern: &'static str, route: Route) -> impl HttpServiceFactory + 'static {
    resource(pattern, "DELETE", [route])
}

/// A path with GET, HEAD and DELETE.
fn get_and_delete(pattern: &'static str, read: Route, delete: Route) -> impl HttpServiceFactory + 'static {
    resource(pattern, "GET, HEAD, DELETE", [read, delete])
}

/// A path with POST and DELETE.
fn post_and_delete(pattern: &'static str, post: Route, delete: Route) -> impl HttpServiceFactory + 'static {
    resource(pattern, "POST, DELETE", [post, delete])
}

/// The fallback of a prefix: the same failure for every method.
fn fallback(pattern: &'static str, failure: fn() -> HttpResponse) -> impl HttpServiceFactory + 'static {
    let fail = move || async move { failure() };
    web::resource(pattern)
        .default_service(web::to(fail))
        .wrap(from_fn(move |request: ServiceRequest, next: Next<BoxBody>| guard_request(pattern, request, next)))
}

/// Wraps a path in the guard. Other methods get status 405.
fn resource(
    pattern: &'static str,
    allowed: &'static str,
    routes: impl IntoIterator<Item = Route>,
) -> impl HttpServiceFactory + 'static {
    let refuse = move || async move {
        let mut response = AppError::MethodNotAllowed.error_response();
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static(allowed));
        response
    };
    let resource = web::resource(pattern).default_service(web::to(refuse));
    routes
        .into_iter()
        .fold(resource, Resource::route)
        .wrap(from_fn(move |request: ServiceRequest, next: Next<BoxBody>| guard_request(pattern, request, next)))
}

/// The failure of a missing file. A file of an older build must not return the HTML of the page.
fn missing_file() -> HttpResponse {
    AppError::NotFound("File not found.".into()).error_response()
}

/// The failure of an unknown path below `/api`.
fn unknown_path() -> HttpResponse {
    AppError::NotFound("Path not found. All paths are listed at /api.".into()).error_response()
}
