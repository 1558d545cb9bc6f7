//! Today's visitors, as far as this process has counted them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts are of one day.
const DAY: Duration = Duration::from_secs(86_400);
/// How many viewers of profiles are remembered.
const MAX_VIEWERS: u64 = 1_000_000;
/// For how many sessions and networks visits are counted.
const MAX_SESSIONS: u64 = 200_000;

/// Views of profiles, see `features::viewers`, and stored visits, see `features::visits`.
pub struct Visitors {
    /// Day and viewer.
    viewers: moka::sync::Cache<(i32, i64), ()>,
    /// The day and its salt.
    salt: Mutex<Option<(i32, String)>>,
    visit_counts: moka::sync::Cache<String, Arc<AtomicU64>>,
}

impl Default for Visitors {
    fn default() -> Self {
        Self {
            viewers: moka::sync::Cache::builder().max_capacity(MAX_VIEWERS).time_to_live(DAY).build(),
            salt: Mutex::default(),
            visit_counts: moka::sync::Cache::builder().max_capacity(MAX_SESSIONS).time_to_live(DAY).build(),
        }
    }
}

impl Visitors {
    /// Whether this process has counted the viewer on this day.
    pub fn has_viewer(&self, day: i32, viewer: i64) -> bool {
        self.viewers.contains_key(&(day, viewer))
    }

    pub fn add_viewer(&self, day: i32, viewer: i64) {
        self.viewers.insert((day, viewer), ());
    }

    /// The cached salt of a day.
    pub fn salt(&self, day: i32) -> Option<String> {
        self.lock_salt().as_ref().filter(|(of, _)| *of == day).map(|(_, salt)| salt.clone())
    }

    pub fn set_salt(&self, day: i32, salt: String) {
        *self.lock_salt() = Some((day, salt));
    }

    /// Drops the salt if it is of another day.
    pub fn drop_old_salt(&self, today: i32) {
        self.lock_salt().take_if(|(of, _)| *of != today);
    }

    /// Counts visits of a session or network; returns their number today, these included.
    pub fn add_visits(&self, key: String, count: u64) -> u64 {
        self.visit_counts.get_with(key, Arc::default).fetch_add(count, Ordering::Relaxed) + count
    }

    fn lock_salt(&self) -> MutexGuard<'_, Option<(i32, String)>> {
        self.salt.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
