//! Avatars of commit authors and users, served by this site.

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{Data, Path};

use crate::app::App;
use crate::features;
use crate::http::response::Answer;

pub async fn picture(app: Data<App>, key: Path<String>) -> Answer {
    let (bytes, media_type) = features::avatars::author_picture(&app, &key).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .insert_header((header::CONTENT_TYPE, media_type))
        .body(bytes))
}

/// Returns the avatar of a user. Only the browser may cache it, because it is deleted with the account.
pub async fn avatar(app: Data<App>, path: Path<(i64, String)>) -> Answer {
    let (user_id, key) = path.into_inner();
    let (bytes, media_type) = features::avatars::user_avatar(&app, user_id, &key).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "private, max-age=86400"))
        .insert_header((header::CONTENT_TYPE, media_type))
        .body(bytes))
}
