//! Preview images of players and guilds.

use actix_web::http::header::{EntityTag, HeaderValue};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};

use crate::app::{App, DrawnCard};
use crate::features;
use crate::http::compression::without_compression;
use crate::http::etag::ConditionalResponse;
use crate::http::response::Answer;

pub async fn player(app: Data<App>, request: HttpRequest, handle: Path<String>) -> Answer {
    Ok(respond(&request, &*features::cards::player(&app, &handle).await?))
}

pub async fn guild(app: Data<App>, request: HttpRequest, tag: Path<String>) -> Answer {
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
