//! Pictures coming in, going out, and going.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features;
use crate::features::uploads::Target;
use crate::http::body::JsonBody;
use crate::http::viewer::SignedIn;
use crate::http::{etag, response, upload_form};
use crate::views::uploads::{PictureForm, PictureRemoval, PictureRemoved, Uploaded};

async fn take(
    app: &App,
    member: &Member,
    request: &HttpRequest,
    payload: web::Payload,
    target: Target,
) -> Result<HttpResponse, AppError> {
    let read = async |max_bytes| upload_form::read(request, payload, max_bytes).await;
    let image_path = features::uploads::save(app, member, target, read).await?;
    response::ok(&Uploaded { image_path, message: "Image uploaded successfully!" })
}

/// A player's picture, up to 5 MB; it becomes 400x400.
#[utoipa::path(post, path = "/api/upload/profile-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 413, body = response::Failure), (status = 415, body = response::Failure),
        (status = 429, body = response::Failure)))]
pub async fn profile_image(
    app: web::Data<App>,
    viewer: SignedIn,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, AppError> {
    take(&app, &viewer.0, &request, body, Target::ProfileImage).await
}

/// A player's banner, up to 15 MB; it becomes 1200x300.
#[utoipa::path(post, path = "/api/upload/profile-banner-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 413, body = response::Failure), (status = 415, body = response::Failure),
        (status = 429, body = response::Failure)))]
pub async fn profile_banner_image(
    app: web::Data<App>,
    viewer: SignedIn,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, AppError> {
    take(&app, &viewer.0, &request, body, Target::ProfileBannerImage).await
}

/// A guild's logo, up to 10 MB; it becomes 400x400.
#[utoipa::path(post, path = "/api/upload/guild-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 413, body = response::Failure), (status = 415, body = response::Failure),
        (status = 429, body = response::Failure)))]
pub async fn guild_image(
    app: web::Data<App>,
    viewer: SignedIn,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, AppError> {
    take(&app, &viewer.0, &request, body, Target::GuildImage).await
}

/// A guild's banner, up to 10 MB; it becomes 1200x300.
#[utoipa::path(post, path = "/api/upload/banner-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 413, body = response::Failure), (status = 415, body = response::Failure),
        (status = 429, body = response::Failure)))]
pub async fn banner_image(
    app: web::Data<App>,
    viewer: SignedIn,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, AppError> {
    take(&app, &viewer.0, &request, body, Target::BannerImage).await
}

/// A picture that was cropped already, of the player or (`target=guild`) of the guild; up to 10 MB.
#[utoipa::path(post, path = "/api/upload/cropped-profile-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 413, body = response::Failure), (status = 415, body = response::Failure),
        (status = 429, body = response::Failure)))]
pub async fn cropped_profile_image(
    app: web::Data<App>,
    viewer: SignedIn,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, AppError> {
    take(&app, &viewer.0, &request, body, Target::CroppedProfileImage).await
}

/// A banner that was cropped already, of the player or (`target=guild`) of the guild; up to 10 MB.
#[utoipa::path(post, path = "/api/upload/cropped-banner-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 413, body = response::Failure), (status = 415, body = response::Failure),
        (status = 429, body = response::Failure)))]
pub async fn cropped_banner_image(
    app: web::Data<App>,
    viewer: SignedIn,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, AppError> {
    take(&app, &viewer.0, &request, body, Target::CroppedBannerImage).await
}

/// Removes a picture of one's own; players and guilds that show it lose it.
#[utoipa::path(delete, path = "/api/upload/image", request_body = PictureRemoval,
    responses((status = 200, body = PictureRemoved), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 404, body = response::Failure)))]
pub async fn remove(
    app: web::Data<App>,
    viewer: SignedIn,
    body: JsonBody<PictureRemoval>,
) -> Result<HttpResponse, AppError> {
    features::uploads::remove(&app, &viewer.0, &body.0.image_path).await?;
    response::ok(&PictureRemoved { message: "Image removed." })
}

/// A stored picture. Its name never means anything else, so whoever has it keeps it.
pub async fn picture(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    let (bytes, kind) = features::uploads::picture(&app, &name).await?;
    let tag = format!("\"{name}\"");
    let is_known = etag::matches(&request, &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, tag))
        .insert_header((header::CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((header::CONTENT_TYPE, kind.media_type()))
        // It is a picture and nothing else, whatever a browser is led to believe.
        .insert_header((header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"));
    Ok(if is_known { response.finish() } else { response.body(bytes) })
}
