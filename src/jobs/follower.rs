//! The thread that receives the commits of other processes.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::runner::{RESTART_DELAY, report_panic};
use crate::app::App;
use crate::projections::Follower;

/// Follows the other processes on a thread until the site is no longer served. SQLite has no others.
pub fn start_follower(app: &Arc<App>) -> std::io::Result<Option<JoinHandle<()>>> {
    if !app.store.is_postgres() {
        return Ok(None);
    }
    app.projections.set_followed();
    let app = Arc::clone(app);
    let thread = std::thread::Builder::new().name("follower".into()).spawn(move || {
        loop {
            // After a panic the next follower reads the missing changes from the table.
            let followed = std::panic::catch_unwind(AssertUnwindSafe(|| {
                let mut follower = Follower::new(&app.projections);
                while !app.process.has_ended() {
                    follower.step();
                }
            }));
            if followed.is_ok() {
                return;
            }
            report_panic(&app.diagnostics, "follower");
            std::thread::sleep(RESTART_DELAY);
        }
    })?;
    Ok(Some(thread))
}
