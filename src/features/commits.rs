//! The feed of the source repositories.

use crate::app::App;
use crate::error::AppError;
use crate::store::commits;
use crate::views::OffsetPagination;
use crate::views::commits::CommitRow;

/// Newest first.
pub async fn list(app: &App, limit: i64, offset: i64) -> Result<(Vec<CommitRow>, OffsetPagination), AppError> {
    let (rows, total) =
        app.store.read(move |conn| Ok((commits::page(conn, limit, offset)?, commits::count(conn)?))).await?;
    Ok((rows.into_iter().map(CommitRow::from).collect(), OffsetPagination::new(limit, offset, total)))
}
