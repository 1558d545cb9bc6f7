//! The commit feed of the source repositories.

use actix_web::HttpRequest;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Store;
use crate::features;
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::views::OffsetPagination;
use crate::views::commits::CommitRow;

#[derive(Serialize, ToSchema)]
pub struct CommitList {
    pub commits: Vec<CommitRow>,
    pub pagination: OffsetPagination,
}

/// Lists commits, newest first.
#[utoipa::path(get, path = "/api/commits",
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 20"), ("offset" = Option<i64>, Query, description = "from 0")),
    responses((status = 200, body = CommitList), Fails<400>))]
pub async fn list(store: Data<Store>, request: HttpRequest, params: Params) -> Answer {
    let limit = params.int("limit", 20, 1..=100)?;
    let offset = params.int("offset", 0, 0..=i64::from(i32::MAX))?;
    let (commits, pagination) = features::commits::list(&store, limit, offset).await?;
    response::cacheable(&request, &CommitList { commits, pagination })
}
