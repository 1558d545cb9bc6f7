//! Avatars of commit authors and users, served by this site.

use actix_web::http::header;
use actix_web::{HttpResponse, web};

use crate::app::App;
use crate::error::AppError;
use crate::features;

pub async fn picture(app: web::Data<App>, key: web::Path<String>) -> Result<HttpResponse, AppError> {
    let (bytes, media_type) = features::avatars::author_picture(&app, &key).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .insert_header((header::CONTENT_TYPE, media_type))
        .body(bytes))
}

/// Returns the avatar of a user. Only the browser may cache it, because it is deleted with the account.
pub async fn avatar(app: web::Data<App>, path: web::Path<(i64, String)>) -> Result<HttpResponse, AppError> {
    let (user_id, key) = path.into_inner();
    let (bytes, media_type) = features::avatars::user_avatar(&app, user_id, &key).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "private, max-age=86400"))
        .insert_header((header::CONTENT_TYPE, media_type))
        .body(bytes))
}
