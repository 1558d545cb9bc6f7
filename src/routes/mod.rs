//! The URL table: every address of Apogee on one screen.
//! Called by `server`; each handler reads its input, calls one feature and answers.
//! Never here: rules, SQL, or a second feature call in one handler.

mod activity;
mod commits;
mod guilds;
mod health;
mod ingest;
mod leaderboard;
mod live;
pub mod openapi;
mod pages;
mod patch;
mod players;
mod search;
mod site;

use actix_web::http::header;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Resource, ResponseError, Route};

use crate::error::AppError;

/// Registers every address. The more exact one comes first.
pub fn table(config: &mut ServiceConfig) {
    config
        .service(get("/api/health", web::get().to(health::health)))
        .service(get("/api/ready", web::get().to(health::ready)))
        .service(get("/metrics", web::get().to(health::metrics)))
        .service(get("/api/openapi.json", web::get().to(openapi::document)))
        .service(get("/api/config", web::get().to(site::config)))
        .service(get("/api/stats/counts", web::get().to(patch::counts)))
        .service(get("/api/patch", web::get().to(patch::current)))
        .service(get("/api/players/top", web::get().to(leaderboard::top)))
        .service(get("/api/players/leaderboard", web::get().to(leaderboard::players)))
        .service(get("/api/guilds/leaderboard", web::get().to(leaderboard::guilds)))
        .service(get("/api/search/fast", web::get().to(search::fast)))
        .service(get("/api/search/players", web::get().to(search::players)))
        .service(get("/api/search/guilds", web::get().to(search::guilds)))
        .service(get("/api/activity", web::get().to(activity::newest)))
        .service(get("/api/activity/{id}", web::get().to(activity::event)))
        .service(get("/api/commits", web::get().to(commits::list)))
        .service(get("/api/live", web::get().to(live::stream)))
        .service(post("/api/ingest/events", web::post().to(ingest::events)))
        .service(get("/api/player/{handle}/weapons", web::get().to(players::weapons)))
        .service(get("/api/player/{handle}/vehicles", web::get().to(players::vehicles)))
        .service(get("/api/player/{handle}/missions", web::get().to(players::missions)))
        .service(get("/api/player/{handle}/activity", web::get().to(players::activity)))
        .service(get("/api/player/{handle}/history", web::get().to(players::history)))
        .service(post("/api/player/{handle}/view", web::post().to(players::view)))
        .service(get("/api/player/{handle}", web::get().to(players::profile)))
        .service(get("/api/guild/stats/{tag}", web::get().to(guilds::stats)))
        .service(get("/api/guild/settings/{tag}", web::get().to(guilds::settings)))
        .service(get("/api/guild/{tag}/members", web::get().to(guilds::members)))
        .service(get("/api/guild/{tag}/activity", web::get().to(guilds::activity)))
        .service(get("/api/guild/{tag}", web::get().to(guilds::profile)))
        .service(get("/help_en.md", web::get().to(pages::help)))
        .service(get("/app_readme.md", web::get().to(pages::app_readme)))
        .service(get("/pages/{path:.*}", web::get().to(pages::text)))
        .service(get("/static/{path:.*}", web::get().to(pages::asset)))
        .service(get("/robots.txt", web::get().to(pages::robots)))
        .service(get("/manifest.webmanifest", web::get().to(pages::manifest)))
        .service(get("/favicon.ico", web::get().to(pages::favicon)))
        .default_service(web::to(pages::any));
}

/// A path that is read. HEAD comes with it.
fn get(path: &str, route: Route) -> Resource {
    with_allowed(path, route, "GET, HEAD")
}

/// A path that is written to.
fn post(path: &str, route: Route) -> Resource {
    with_allowed(path, route, "POST")
}

fn with_allowed(path: &str, route: Route, allowed: &'static str) -> Resource {
    let refuse = move || async move {
        let mut response = AppError::MethodNotAllowed.error_response();
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static(allowed));
        response
    };
    let resource = web::resource(path.to_owned()).default_service(web::to(refuse));
    if allowed.starts_with("GET") {
        // The same answer without its body: actix leaves that out for HEAD.
        resource.route(route.guard(actix_web::guard::fn_guard(|_| true)))
    } else {
        resource.route(route)
    }
}

/// The failure of an unknown address below `/api`.
fn unknown_path() -> HttpResponse {
    AppError::NotFound("There is no such path. All paths are listed at /api.".into()).error_response()
}
