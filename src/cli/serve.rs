//! `apogee serve`

use crate::config::Settings;
use crate::features;
use crate::server;

use super::CliError;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fill an empty database with a generated universe first, and keep it alive with invented events. A database with
    /// other data is served without the demo
    #[arg(long)]
    demo: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let serve = server::serve(settings, async |app| {
        if args.demo {
            features::transfer::start_demo(app).await?;
        }
        Ok(())
    });
    // Not the framework's own system: its worker threads, ending after it, wake a task of it that is gone, and abort.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve);
    // Without waiting for a backup that is under way; what that leaves unfinished goes with the next one.
    runtime.shutdown_background();
    Ok(served?)
}
