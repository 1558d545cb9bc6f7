//! Builds what is derived from the database again when an effect of a commit is missing from it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::run;
use crate::app::App;

const EVERY: Duration = Duration::from_secs(1);
/// An effect that panics on every commit must not keep the process busy with rebuilding alone.
const REST_FACTOR: u32 = 10;

pub async fn when_stale(app: Arc<App>) {
    loop {
        let began = Instant::now();
        run(&app, "rebuild", async { Ok(app.projections.rebuild_if_stale().await?) }).await;
        app.diagnostics.jobs.wait_for_trigger("rebuild", EVERY.max(began.elapsed() * REST_FACTOR)).await;
    }
}
