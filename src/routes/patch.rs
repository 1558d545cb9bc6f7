//! Totals of the site and of the current patch.

use actix_web::HttpRequest;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::{App, Projections};
use crate::features;
use crate::http::response::{self, Answer};
use crate::views::patch::{Counts, PatchView};

/// Returns the number of players and guilds.
#[utoipa::path(get, path = "/api/stats/counts", responses((status = 200, body = Counts)))]
pub async fn counts(projections: Data<Projections>, request: HttpRequest) -> Answer {
    response::cacheable(&request, &features::patch::counts(&projections))
}

#[derive(Serialize, ToSchema)]
pub struct PatchAnswer {
    pub data: PatchView,
}

/// Returns the current patch with its totals.
#[utoipa::path(get, path = "/api/patch", responses((status = 200, body = PatchAnswer)))]
pub async fn current(app: Data<App>, request: HttpRequest) -> Answer {
    response::cacheable(&request, &PatchAnswer { data: features::patch::current(&app).await? })
}
