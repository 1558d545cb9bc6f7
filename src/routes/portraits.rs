//! Pictures of commits' authors, from here.

use actix_web::http::header;
use actix_web::{HttpResponse, web};

use crate::app::App;
use crate::error::AppError;
use crate::features;

pub async fn picture(app: web::Data<App>, key: web::Path<String>) -> Result<HttpResponse, AppError> {
    let (bytes, media_type) = features::portraits::portrait(&app, &key).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .insert_header((header::CONTENT_TYPE, media_type))
        .body(bytes))
}
