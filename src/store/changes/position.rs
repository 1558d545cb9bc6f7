//! Where a change stands in the log.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

/// The position of a change in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, QueryableByName)]
pub struct ChangePosition {
    /// The number of the change: consecutive, in commit order.
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    /// The newest event at that moment, including events of the same commit.
    #[diesel(sql_type = BigInt)]
    pub event_id: i64,
    /// Number of live messages after that event that precede the change.
    #[diesel(sql_type = BigInt)]
    pub message_offset: i64,
}
