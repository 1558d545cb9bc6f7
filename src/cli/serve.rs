//! `apogee serve`

use crate::config::Settings;
use crate::features;
use crate::server;

use super::CliError;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fill an empty database with a generated universe first, and keep it alive
    #[arg(long)]
    demo: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let serve = server::serve(settings, async |app| {
        if args.demo {
            features::transfer::demo_site(app).await?;
        }
        Ok(())
    });
    let system = actix_web::rt::System::new();
    let served = system.block_on(serve);
    // Dropping it would wait for a backup that is under way; what that leaves unfinished goes with the next one.
    std::mem::forget(system);
    Ok(served?)
}
