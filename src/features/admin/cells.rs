//! Cells and limits that the sections of the admin page share.

use crate::views::admin::Cell;

/// Rows per section: deliveries, sessions, lines.
pub(super) const MAX_ROWS: i64 = 20;

/// Formats epoch milliseconds as UTC date and time.
pub(super) fn format_time(ms: i64) -> Cell {
    jiff::Timestamp::from_millisecond(ms)
        .map_or(Cell::Number(ms), |at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string().into())
}
