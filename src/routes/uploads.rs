//! Uploading, serving and removing images.

use actix_web::HttpRequest;
use actix_web::http::header::{self, EntityTag, HeaderValue};
use actix_web::web::{Data, Path, Payload};

use crate::app::App;
use crate::domain::viewer::Member;
use crate::features;
use crate::features::uploads::Target;
use crate::http::body::JsonBody;
use crate::http::compression::without_compression;
use crate::http::etag::ConditionalResponse;
use crate::http::response::{self, Answer, Fails};
use crate::http::upload_form;
use crate::http::viewer::SignedIn;
use crate::views::uploads::{PictureForm, PictureRemoval, PictureRemoved, Uploaded};

async fn take(app: &App, member: &Member, request: &HttpRequest, payload: Payload, target: Target) -> Answer {
    let read = async |max_bytes| upload_form::read(request, payload, max_bytes).await;
    let image_path = features::uploads::save(app, member, target, read).await?;
    response::ok(&Uploaded { image_path, message: "Image uploaded successfully!" })
}

/// Uploads a player's image of up to 5 MB; it is resized to 400x400.
#[utoipa::path(post, path = "/api/upload/profile-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), Fails<400>, Fails<401>, Fails<413>, Fails<415>))]
pub async fn profile_image(app: Data<App>, viewer: SignedIn, request: HttpRequest, body: Payload) -> Answer {
    take(&app, &viewer.0, &request, body, Target::PROFILE_IMAGE).await
}

/// Uploads a player's banner of up to 15 MB; it is resized to 1200x300.
#[utoipa::path(post, path = "/api/upload/profile-banner-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), Fails<400>, Fails<401>, Fails<413>, Fails<415>))]
pub async fn profile_banner_image(app: Data<App>, viewer: SignedIn, request: HttpRequest, body: Payload) -> Answer {
    take(&app, &viewer.0, &request, body, Target::PROFILE_BANNER_IMAGE).await
}

/// Uploads a guild's logo of up to 10 MB; it is resized to 400x400.
#[utoipa::path(post, path = "/api/upload/guild-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), Fails<400>, Fails<401>, Fails<413>, Fails<415>))]
pub async fn guild_image(app: Data<App>, viewer: SignedIn, request: HttpRequest, body: Payload) -> Answer {
    take(&app, &viewer.0, &request, body, Target::GUILD_IMAGE).await
}

/// Uploads a guild's banner of up to 10 MB; it is resized to 1200x300.
#[utoipa::path(post, path = "/api/upload/banner-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), Fails<400>, Fails<401>, Fails<413>, Fails<415>))]
pub async fn banner_image(app: Data<App>, viewer: SignedIn, request: HttpRequest, body: Payload) -> Answer {
    take(&app, &viewer.0, &request, body, Target::BANNER_IMAGE).await
}

/// Uploads a cropped image of up to 10 MB for the player or (`target=guild`) the guild.
#[utoipa::path(post, path = "/api/upload/cropped-profile-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), Fails<400>, Fails<401>, Fails<413>, Fails<415>))]
pub async fn cropped_profile_image(app: Data<App>, viewer: SignedIn, request: HttpRequest, body: Payload) -> Answer {
    take(&app, &viewer.0, &request, body, Target::CROPPED_PROFILE_IMAGE).await
}

/// Uploads a cropped banner of up to 10 MB for the player or (`target=guild`) the guild.
#[utoipa::path(post, path = "/api/upload/cropped-banner-image", request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Uploaded), Fails<400>, Fails<401>, Fails<413>, Fails<415>))]
pub async fn cropped_banner_image(app: Data<App>, viewer: SignedIn, request: HttpRequest, body: Payload) -> Answer {
    take(&app, &viewer.0, &request, body, Target::CROPPED_BANNER_IMAGE).await
}

/// Removes an image of the user. It also disappears from the player or guild that shows it.
#[utoipa::path(delete, path = "/api/upload/image", request_body = PictureRemoval,
    responses((status = 200, body = PictureRemoved), Fails<400>, Fails<401>, Fails<404>))]
pub async fn remove(app: Data<App>, viewer: SignedIn, body: JsonBody<PictureRemoval>) -> Answer {
    features::uploads::remove(&app, &viewer.0, &body.0.image_path).await?;
    response::ok(&PictureRemoved { message: "Image removed." })
}

/// A stored image. Its name is never reused, so clients may cache it forever.
pub async fn picture(app: Data<App>, request: HttpRequest, name: Path<String>) -> Answer {
    let (bytes, kind) = features::uploads::picture(&app.uploads, &name).await?;
    let tag = EntityTag::new_strong(name.into_inner());
    // A sandbox policy, in case a browser interprets the image as a document.
    let response = ConditionalResponse::new(&request, tag, "public, max-age=31536000, immutable")
        .with_header((header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"));
    Ok(without_compression(response.finish(HeaderValue::from_static(kind.media_type()), bytes)))
}
