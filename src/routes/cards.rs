//! Share pictures of players and guilds.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::{App, DrawnCard};
use crate::error::AppError;
use crate::features;
use crate::http::etag;

pub async fn player(
    app: web::Data<App>,
    request: HttpRequest,
    handle: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    Ok(answer(&request, &*features::cards::player(&app, &handle).await?))
}

pub async fn guild(
    app: web::Data<App>,
    request: HttpRequest,
    tag: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    Ok(answer(&request, &*features::cards::guild(&app, &tag).await?))
}

/// Whoever keeps a card asks again each time: its owner may have hidden.
fn answer(request: &HttpRequest, card: &DrawnCard) -> HttpResponse {
    let tag = format!("\"{}\"", card.tag);
    let is_known = etag::matches(request, &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, tag))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_TYPE, "image/png"))
        // It is made to be shown elsewhere.
        .insert_header(("cross-origin-resource-policy", "cross-origin"));
    if is_known { response.finish() } else { response.body(card.png.clone()) }
}
