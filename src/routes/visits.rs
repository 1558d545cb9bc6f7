//! Page visits, reported by the web page.

use actix_web::cookie::{Cookie, SameSite, time::Duration};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use rand::Rng;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::domain::json;
use crate::features;
use crate::http::response::{Answer, Fails};
use crate::http::{body, client, origin};

const COOKIE: &str = "apogee_visit";
const MAX_BYTES: usize = 64 * 1024;

#[derive(Serialize, ToSchema)]
pub struct Tracked {
    /// A random id, valid for one day; null if nothing is stored.
    #[serde(rename = "sessionId")]
    pub session_id: Option<String>,
}

/// Stores page visits. With Do-Not-Track or Global Privacy Control, nothing is stored.
#[utoipa::path(post, path = "/api/analytics/track", request_body = String,
    responses((status = 202, body = Tracked), Fails<400>, Fails<413>))]
pub async fn track(app: Data<App>, request: HttpRequest, payload: Payload) -> Answer {
    origin::require_same_origin(&request, &app.public_url)?;
    let is_set = |name: &str| request.headers().get(name).is_some_and(|value| value == "1");
    if is_set("dnt") || is_set("sec-gpc") {
        return Ok(HttpResponse::Accepted().json(serde_json::json!({ "success": true, "sessionId": null })));
    }
    let bytes = body::read(payload, MAX_BYTES, "Visits take at most 64 KiB.").await?;
    let visits = json::read(&bytes, "The body")?;
    let known = request.cookie(COOKIE).map(|cookie| cookie.value().to_owned());
    let is_valid = |id: &String| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit());
    let session_id = known.filter(is_valid).unwrap_or_else(|| format!("{:032x}", rand::rng().random::<u128>()));
    let address = client::address(&request, &app.settings.trusted_proxies);
    features::visits::track(&app, session_id.clone(), address, visits).await?;
    let cookie = Cookie::build(COOKIE, session_id.clone())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(client::is_https(&request, &app.public_url))
        .max_age(Duration::days(1))
        .finish();
    let body = serde_json::json!({ "success": true, "sessionId": session_id });
    Ok(HttpResponse::Accepted().cookie(cookie).json(body))
}
