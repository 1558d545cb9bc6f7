//! Hears what other processes committed, and forgets what all have heard.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::features::changes::{Follower, forget_old};
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(60);

/// Runs on a thread of its own until the process ends; there is none on SQLite.
pub fn follow(app: &Arc<App>) -> std::io::Result<()> {
    if Follower::of(app).is_none() {
        return Ok(());
    }
    let app = Arc::clone(app);
    std::thread::Builder::new().name("follower".into()).spawn(move || {
        loop {
            // A panic is one change that was not heard: the next follower reads what is missing from the table.
            let heard = std::panic::catch_unwind(AssertUnwindSafe(|| {
                let Some(mut follower) = Follower::of(&app) else { return };
                loop {
                    follower.step();
                }
            }));
            if heard.is_ok() {
                return;
            }
            super::panicked(&app, "follower");
            std::thread::sleep(super::REST);
        }
    })?;
    Ok(())
}

pub async fn forget(app: Arc<App>) {
    if !app.store.is_postgres() {
        return;
    }
    let mut lease = Lease::of(&app, "changes", EVERY);
    loop {
        if lease.is_held().await {
            super::run(&app, "changes", forget_old(&app)).await;
        }
        app.diagnostics.jobs.wait_for_trigger("changes", EVERY).await;
    }
}
