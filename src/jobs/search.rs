//! Keeps the search index with what changes by anything but events, here and in other processes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::run;
use crate::app::App;
use crate::error::AppError;
use crate::projections::SearchFollower;

const EVERY: Duration = Duration::from_secs(1);
const TIDY_EVERY: Duration = Duration::from_secs(3_600);

pub async fn follow(app: Arc<App>) {
    let mut follower = None;
    let mut tidied = Instant::now();
    loop {
        run(&app, "search", step(&app, &mut follower, &mut tidied)).await;
        app.diagnostics.jobs.wait_for_trigger("search", EVERY).await;
    }
}

async fn step(app: &Arc<App>, follower: &mut Option<SearchFollower>, tidied: &mut Instant) -> Result<(), AppError> {
    let follower = match follower {
        Some(follower) => follower,
        None => follower.insert(SearchFollower::new(&app.projections).await?),
    };
    follower.follow(&app.projections).await?;
    if tidied.elapsed() > TIDY_EVERY {
        *tidied = Instant::now();
        follower.delete_old(&app.projections).await?;
    }
    Ok(())
}
