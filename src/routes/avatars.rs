//! Pictures of commits' authors and avatars of users, from here.

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

/// The avatar of a user. It is kept by the browser alone: it goes with the account.
pub async fn avatar(app: web::Data<App>, path: web::Path<(i64, String)>) -> Result<HttpResponse, AppError> {
    let (user_id, key) = path.into_inner();
    let (bytes, media_type) = features::avatars::user_avatar(&app, user_id, &key).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "private, max-age=86400"))
        .insert_header((header::CONTENT_TYPE, media_type))
        .body(bytes))
}
