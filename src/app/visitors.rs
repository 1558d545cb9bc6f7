//! Today's visitors, as far as this process has counted them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use arc_swap::ArcSwapOption;

/// Counts are of one day.
const DAY: Duration = Duration::from_secs(86_400);
/// How many viewers of profiles are remembered.
const MAX_VIEWERS: u64 = 1_000_000;
/// For how many sessions and networks visits are counted.
const MAX_SESSIONS: u64 = 200_000;

/// Views of profiles, see `features::viewers`, and stored visits, see `features::visits`.
pub struct Visitors {
    /// The counted viewers, with their day.
    pub viewers: moka::sync::Cache<(i32, i64), ()>,
    /// The day and its salt.
    pub salt: ArcSwapOption<(i32, String)>,
    /// The number of visits of sessions and networks.
    pub visit_counts: moka::sync::Cache<String, Arc<AtomicU64>>,
}

impl Default for Visitors {
    fn default() -> Self {
        Self {
            viewers: moka::sync::Cache::builder().max_capacity(MAX_VIEWERS).time_to_live(DAY).build(),
            salt: ArcSwapOption::empty(),
            visit_counts: moka::sync::Cache::builder().max_capacity(MAX_SESSIONS).time_to_live(DAY).build(),
        }
    }
}
