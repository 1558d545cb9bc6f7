//! Cells and limits that the sections of the admin page share.

use crate::domain::times::EpochMillis;
use crate::views::admin::Cell;

/// Rows per section: deliveries, sessions, lines.
pub(super) const MAX_ROWS: i64 = 20;

/// Formats epoch milliseconds as UTC date and time.
pub(super) fn format_time(ms: i64) -> Cell {
    EpochMillis(ms).date_and_time().map_or(Cell::Number(ms), |text| format!("{text} UTC").into())
}
