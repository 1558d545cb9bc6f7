//! Boards over a window: counted when asked for, kept while nothing changed.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use crate::app::{App, WindowBoard};
use crate::domain::scores::Scores;
use crate::domain::times::{DAY_MS, Day};
use crate::error::AppError;
use crate::features::patch;
use crate::store::leaderboard::{self, WindowRow};

/// A window slides on even when nothing happens: no count is kept longer.
const OLDEST: Duration = Duration::from_secs(60);
/// A count that took long is kept for this many times as long, so that counting takes a tenth of the time at most.
const REST: u32 = 10;
/// A count that is quicker than this is made anew whenever something changed.
const QUICK: Duration = Duration::from_millis(50);

/// Which events a board counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    All,
    Day,
    Week,
    Month,
    /// Those of the newest patch.
    Patch,
}

impl Window {
    fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            _ => 30,
        }
    }
}

pub fn scores(row: &WindowRow) -> Scores {
    Scores {
        pu_player_kills: row.pu_player_kills,
        pve_kills: row.pve_kills,
        vehicle_destructions: row.vehicle_destructions,
        missions_completed: row.missions_completed,
        playtime: row.playtime,
    }
}

/// The sums of everybody who did something in the window.
pub async fn board(app: &App, window: Window) -> Result<Arc<WindowBoard>, AppError> {
    let key = format!("{window:?}");
    let generation = app.generation();
    let kept = app.windows.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    if let Some(board) = kept.filter(|board| is_fresh(board, generation)) {
        return Ok(board);
    }
    let began = Instant::now();
    let rows = count(app, window).await?;
    let board = Arc::new(WindowBoard { rows, counted_at: Instant::now(), took: began.elapsed(), generation });
    app.windows.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&board));
    Ok(board)
}

fn is_fresh(board: &WindowBoard, generation: u64) -> bool {
    let age = board.counted_at.elapsed();
    if age > OLDEST {
        return false;
    }
    board.generation == generation || (board.took > QUICK && age < board.took * REST)
}

async fn count(app: &App, window: Window) -> Result<Vec<WindowRow>, AppError> {
    if window == Window::Patch {
        let Some(version) = patch::version(app).await? else { return Ok(Vec::new()) };
        return Ok(app.store.read(move |conn| leaderboard::in_patch(conn, version)).await?);
    }
    let from = App::now().0 - window.days() * DAY_MS;
    let first = crate::domain::times::EpochMillis(from).day();
    let next = Day(first.0 + 1).start().0;
    Ok(app.store.read(move |conn| leaderboard::since(conn, from, first.0, next)).await?)
}
