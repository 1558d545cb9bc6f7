//! Receives the commits of other processes, and deletes changes that every process has received.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::error::AppError;
use crate::features::leases::Lease;
use crate::replication::{self, Follower, Replica};

const EVERY: Duration = Duration::from_secs(60);

/// Follows the other processes on a thread until this process ends. SQLite has no others.
pub fn follow(app: &Arc<App>) -> std::io::Result<()> {
    if !app.store.is_postgres() {
        return Ok(());
    }
    app.projections.sequence().set_followed();
    let app = Arc::clone(app);
    std::thread::Builder::new().name("follower".into()).spawn(move || {
        loop {
            // After a panic the next follower reads the missing changes from the table.
            let followed = std::panic::catch_unwind(AssertUnwindSafe(|| {
                let mut follower = Follower::new(&app.store, app.projections.as_ref());
                loop {
                    follower.step();
                }
            }));
            if followed.is_ok() {
                return;
            }
            super::panicked(&app, "follower");
            std::thread::sleep(super::REST);
        }
    })?;
    Ok(())
}

/// Deletes old changes every minute, in the process that holds the lease.
pub async fn delete_old(app: Arc<App>) {
    if !app.store.is_postgres() {
        return;
    }
    let mut lease = Lease::of(&app, "changes", EVERY);
    loop {
        if lease.is_held().await {
            let deleted = async { replication::delete_old(&app.store).await.map_err(AppError::from) };
            super::run(&app, "changes", deleted).await;
        }
        app.diagnostics.jobs.wait_for_trigger("changes", EVERY).await;
    }
}
