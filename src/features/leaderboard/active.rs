//! How many members of each guild were active lately. Counting them costs thousands of rows for a large guild, and a page shows
//! a hundred guilds: on a large site all are counted at once in the background, while somebody asks.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::app::{App, CountedMembers};
use crate::error::AppError;
use crate::features::guilds::active_since;
use crate::store::guilds;

use super::LARGE_SITE;

/// Guilds with more members are large: their number may be some minutes old.
const LARGE_GUILD: i64 = 200;
/// How long a count of all stands.
const COUNTED_FOR: Duration = Duration::from_secs(600);

/// By guild, for those that are given with how many members they have. On a large site every number may be some minutes old.
pub async fn members(app: &App, asked: impl Iterator<Item = (i64, i64)>) -> Result<HashMap<i64, i64>, AppError> {
    app.active_members.is_wanted.store(true, Ordering::Relaxed);
    let counted = app.active_members.counted.load_full();
    if let Some(counted) = counted.filter(|_| is_large(app)) {
        return Ok(asked.map(|(id, _)| (id, counted.of(id))).collect());
    }
    let mut active: HashMap<i64, i64> = HashMap::new();
    let (mut large, mut ids) = (Vec::new(), Vec::new());
    for (id, known_members) in asked {
        match app.active_members.large.get(&id) {
            Some(count) => drop(active.insert(id, count)),
            None => {
                ids.push(id);
                large.extend((known_members > LARGE_GUILD).then_some(id));
            }
        }
    }
    if !ids.is_empty() {
        let since = active_since(App::now());
        active.extend(app.store.read(move |conn| guilds::active_members(conn, &ids, since)).await?);
    }
    for id in large {
        app.active_members.large.insert(id, active.get(&id).copied().unwrap_or(0));
    }
    Ok(active)
}

/// Counts all guilds of a large site anew when somebody has asked and the last count is old.
pub async fn keep(app: &App) -> Result<(), AppError> {
    let slot = &app.active_members;
    let is_old = slot.counted.load().as_ref().is_none_or(|counted| counted.counted_at.elapsed() > COUNTED_FOR);
    if !is_large(app) || !is_old || !slot.is_wanted.swap(false, Ordering::Relaxed) {
        return Ok(());
    }
    let since = active_since(App::now());
    let counts = app.store.read(move |conn| guilds::all_active_members(conn, since)).await?.into_iter().collect();
    slot.counted.store(Some(Arc::new(CountedMembers { counts, counted_at: Instant::now() })));
    Ok(())
}

fn is_large(app: &App) -> bool {
    app.player_count.load(Ordering::Relaxed) > LARGE_SITE
}
