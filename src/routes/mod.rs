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

use std::rc::Rc;

use actix_web::body::BoxBody;
use actix_web::dev::{HttpServiceFactory, ServiceRequest};
use actix_web::http::header;
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Resource, ResponseError, Route, guard};
use utoipa::OpenApi;
use utoipa::openapi::path::HttpMethod;

use crate::error::AppError;
use crate::http::guard::guard_request;

use self::openapi::Everywhere;

/// Declares the handlers of the API. Each has its method and path in its own attribute, from which the router and the OpenAPI document
/// take them.
macro_rules! api {
    ($($feature:ident: $($handler:ident),+;)+) => {
        pastey::paste! {
            fn api() -> Vec<ApiRoute> {
                vec![$($(ApiRoute::new::<$feature::[<__path_ $handler>]>(|route| route.to($feature::$handler))),+),+]
            }
        }

        #[derive(OpenApi)]
        #[openapi(
            info(title = "Apogee", description = "Statistics, rankings and profiles of players and guilds."),
            paths($($($feature::$handler),+),+),
            // utoipa collects neither schemas of parameters nor those of `Fails`.
            components(schemas(crate::domain::scores::Metric, crate::http::response::Failure)),
            modifiers(&Everywhere)
        )]
        struct Description;
    };
}

// More specific paths come first.
api! {
    health: health, ready, metrics;
    reader: grammar, start, login_state, answer_login, pending_login, samples, submit_samples;
    site: config;
    stickers: catalogue, holders, grant, revoke;
    pages: oembed;
    patch: counts, current;
    leaderboard: top, players, guilds;
    search: fast, players, guilds;
    activity: newest, event;
    commits: list;
    live: stream;
    ingest: events, key;
    sessions: callback, refresh, logout, me, discord_login, user, list, end_every, end_one;
    claims: start_player, cancel_player, verify_player, unlink, start_guild, verify_guild;
    settings: save, stickers, visible, own, remove, guild;
    players: update, weapons, vehicles, missions, activity, history, career, view, profile;
    guilds: stats, career, settings, view, members, activity, profile;
    admin: state, run_job, switch_feed, webhook, deliver_again, sign_out;
    moderation: list, start, undo, reports;
    keys: list, create, confirm, revoke;
    account: export, delete;
    uploads: profile_image, profile_banner_image, guild_image, banner_image, cropped_profile_image,
        cropped_banner_image, remove;
    visits: track;
    webhooks: github, discord;
}

const UNKNOWN_PATH: &str = "Path not found. All paths are listed at /api.";

/// A method of a path.
struct ApiRoute {
    path: String,
    method: HttpMethod,
    route: Route,
}

impl ApiRoute {
    /// `P` is what the attribute of the handler declares.
    fn new<P: utoipa::Path>(handle: impl FnOnce(Route) -> Route) -> Self {
        let method = P::methods().into_iter().next().unwrap_or(HttpMethod::Get);
        let route = match method {
            HttpMethod::Post => web::post(),
            HttpMethod::Delete => web::delete(),
            // Also serves HEAD, without the body.
            _ => read(),
        };
        Self { path: P::path(), method, route: handle(route) }
    }
}

/// Registers all routes.
pub fn table(config: &mut ServiceConfig) {
    let mut paths: Vec<(String, Vec<ApiRoute>)> = Vec::new();
    for route in api() {
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, routes)) => routes.push(route),
            None => paths.push((route.path.clone(), vec![route])),
        }
    }
    for (path, routes) in paths {
        config.service(resource(&path, routes));
    }
    config
        .service(get("/api/openapi.json", read().to(openapi::document)))
        .service(get("/uploads/{name}", read().to(uploads::picture)))
        .service(get("/avatars/users/{id}/{key}", read().to(avatars::avatar)))
        .service(get("/avatars/{key}", read().to(avatars::picture)))
        .service(get("/help_en.md", read().to(pages::root_text)))
        .service(get("/app_readme.md", read().to(pages::root_text)))
        .service(get("/pages/{path:.*}", read().to(pages::text)))
        .service(get("/static/{path:.*}", read().to(pages::asset)))
        .service(get("/og/player/{handle}.png", read().to(cards::player)))
        .service(get("/og/guild/{tag}.png", read().to(cards::guild)))
        .service(get("/sitemap.xml", read().to(pages::sitemap)))
        .service(get("/robots.txt", read().to(pages::robots)))
        .service(get("/manifest.webmanifest", read().to(pages::manifest)))
        .service(get("/favicon.ico", read().to(pages::favicon)))
        .service(get("/assets/{path:.*}", read().to(pages::built)))
        .service(fallback("/api/{path:.*}", UNKNOWN_PATH))
        .service(fallback("/uploads/{path:.*}", "File not found."))
        .service(fallback("/og/{path:.*}", "File not found."))
        .default_service(
            web::to(pages::any)
                .wrap(from_fn(|request: ServiceRequest, next: Next<BoxBody>| guard_request("".into(), request, next))),
        );
}

/// A GET route that also serves HEAD, without the body.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// A path with GET and HEAD that the OpenAPI document does not describe.
fn get(path: &str, route: Route) -> impl HttpServiceFactory + 'static {
    resource(path, vec![ApiRoute { path: path.to_owned(), method: HttpMethod::Get, route }])
}

/// The fallback of a prefix: the same failure for every method. A file of an older build must not return the HTML of the page.
fn fallback(path: &str, sentence: &'static str) -> impl HttpServiceFactory + 'static {
    let fail = move || async move { AppError::NotFound(sentence.into()).error_response() };
    guarded(path, web::resource(path).default_service(web::to(fail)))
}

/// A path with its methods. Others get status 405.
fn resource(path: &str, routes: Vec<ApiRoute>) -> impl HttpServiceFactory + 'static {
    let allowed: Vec<&str> = routes
        .iter()
        .map(|route| match route.method {
            HttpMethod::Post => "POST",
            HttpMethod::Delete => "DELETE",
            _ => "GET, HEAD",
        })
        .collect();
    let allowed = allowed.join(", ");
    let refuse = move || std::future::ready(method_not_allowed(&allowed));
    let resource = web::resource(path).default_service(web::to(refuse));
    guarded(path, routes.into_iter().fold(resource, |resource, route| resource.route(route.route)))
}

fn method_not_allowed(allowed: &str) -> HttpResponse {
    let mut response = AppError::MethodNotAllowed.error_response();
    if let Ok(allowed) = header::HeaderValue::from_str(allowed) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

/// Wraps a path in the guard.
fn guarded(path: &str, resource: Resource) -> impl HttpServiceFactory + 'static {
    let pattern: Rc<str> = path.into();
    let guard = move |request: ServiceRequest, next: Next<BoxBody>| guard_request(Rc::clone(&pattern), request, next);
    resource.wrap(from_fn(guard))
}
