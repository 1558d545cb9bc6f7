//! Public exports: the list and the files.

use actix_files::NamedFile;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::error::AppError;
use crate::features::public_export;
use crate::http::{embedded, response};
use crate::views::public_export::PublicExports;

/// Lists the nightly exports of all events and figures, newest first. Players who are hidden are numbered.
#[utoipa::path(get, path = "/api/export", responses((status = 200, body = PublicExports)))]
pub async fn list(app: web::Data<App>) -> Result<HttpResponse, AppError> {
    response::ok(&PublicExports { data: public_export::list(&app).await? })
}

/// Downloads a file of an export, whole or in parts. It is withdrawn when a player whom it names hides.
#[utoipa::path(get, path = "/export/{name}", params(("name" = String, Path, description = "a name from `/api/export`")),
    responses((status = 200, body = Vec<u8>, content_type = "application/gzip"), (status = 404, body = response::Failure)))]
pub async fn file(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    let path = public_export::open(&app, &name).await?;
    let file = NamedFile::open(path).map_err(|_| public_export::unknown())?;
    Ok(embedded::stored_file(&request, file))
}
