//! Preview images of players and guilds.

use actix_web::http::header::{EntityTag, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::{App, DrawnCard};
use crate::error::AppError;
use crate::features;
use crate::http::compression::without_compression;
use crate::http::etag::ConditionalResponse;

pub async fn player(
    app: web::Data<App>,
    request: HttpRequest,
    handle: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    Ok(respond(&request, &*features::cards::player(&app, &handle).await?))
}

pub async fn guild(
    app: web::Data<App>,
    request: HttpRequest,
    tag: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    Ok(respond(&request, &*features::cards::guild(&app, &tag).await?))
}

/// Clients revalidate a card each time, because its player may have become hidden.
fn respond(request: &HttpRequest, card: &DrawnCard) -> HttpResponse {
    let tag = EntityTag::new_strong(card.tag.clone());
    // Cards are embedded by other sites.
    let response = ConditionalResponse::new(request, tag, "no-cache")
        .with_header(("cross-origin-resource-policy", "cross-origin"));
    without_compression(response.finish(HeaderValue::from_static("image/png"), card.png.clone()))
}
