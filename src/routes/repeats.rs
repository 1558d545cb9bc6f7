//! Repeated kills that do not count, for admins.

use actix_web::{HttpResponse, web};

use crate::app::App;
use crate::error::AppError;
use crate::features::repeats;
use crate::http::params::Params;
use crate::http::response;
use crate::http::viewer::SignedIn;
use crate::views::repeats::WithheldKills;

/// Lists what the rule of repeated kills withholds, by killer, pair and circle, largest effect first. For admins.
#[utoipa::path(get, path = "/api/admin/withheld",
    params(("limit" = Option<i64>, Query, description = "1 to 100 of each, default 50")),
    responses((status = 200, body = WithheldKills), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure)))]
pub async fn withheld(app: web::Data<App>, viewer: SignedIn, params: Params) -> Result<HttpResponse, AppError> {
    let (share, limit) = (app.settings.trust.repeat_share, params.int("limit", 50, 1..=100)?);
    response::ok(&repeats::list_withheld(&app.store, &viewer.0, share, limit).await?)
}
