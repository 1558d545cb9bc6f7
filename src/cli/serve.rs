//! `apogee serve`

use crate::config::Settings;
use crate::features;
use crate::server;

use super::CliError;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fill an empty database with a generated universe and add generated live events. A database with other data is
    /// served unchanged
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
    // The framework's own runtime may abort: its worker threads can outlive it and wake a dropped task.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve);
    // A running backup is not awaited; the next backup removes its partial file.
    runtime.shutdown_background();
    Ok(served?)
}
