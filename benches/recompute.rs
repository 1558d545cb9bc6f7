//! Writing a public export of a million events and recomputing it: `cargo bench --bench recompute`.
//! A number after `--` sets the number of events.

use std::sync::Arc;
use std::time::Instant;

use apogee::app::App;
use apogee::config::{Flags, Settings};
use apogee::domain::times::EpochMillis;
use apogee::features::transfer::{DemoSize, generate_demo};
use apogee::features::{bootstrap, public_export, repeats};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The aim for a million events, in seconds.
const AIM_SECS: f64 = 60.0;

fn main() {
    let events: u64 = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(1_000_000);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let dir = tempfile::tempdir().expect("a directory");
    runtime.block_on(async {
        let app = site(dir.path()).await;
        let size = DemoSize { players: 20_000, guilds: 800, events, seed: 1 };
        timed("events stored", events, generate_demo(&app, size, |_| {})).await.expect("a universe");
        let night = async {
            while !repeats::run(&app.store, 5, EpochMillis::now(), |_| {}).await.expect("decisions") {}
        };
        timed("repeated kills decided", events, night).await;
        timed("export written", events, public_export::run_if_due(&app, true)).await.expect("an export");
        let export = public_export::list(&app).await.expect("a list").remove(0);
        for file in &export.files {
            println!("{}: {:.1} bytes per event", file.format, file.bytes as f64 / export.events as f64);
        }
        let path = app.settings.exports_dir().join(&export.files[0].name);
        let began = Instant::now();
        let outcome = public_export::recompute_file(&path, |_| {}).expect("an outcome");
        let secs = began.elapsed().as_secs_f64();
        println!(
            "recomputed {} events, {} players and {} guilds in {secs:.1} s (aim {AIM_SECS} s a million); {} repeated kills; \
             differences: {}",
            outcome.events, outcome.players, outcome.guilds, outcome.repeated, outcome.differences
        );
    });
}

async fn site(dir: &std::path::Path) -> Arc<App> {
    let flags = Flags::default().with("data-dir", dir.display().to_string());
    let settings = Settings::load(&flags).expect("settings");
    let opened = tokio::task::spawn_blocking(move || bootstrap::open(settings, String::new()));
    Arc::new(opened.await.expect("a thread").expect("an app"))
}

async fn timed<T>(what: &str, events: u64, work: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let result = work.await;
    let secs = began.elapsed().as_secs_f64();
    println!("{what} in {secs:.1} s, {:.0} events a second", events as f64 / secs);
    result
}
