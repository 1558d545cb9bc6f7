//! The time from the acknowledgement of an event to its message in a Discord channel, with a mock server without limits.
//!
//! Run with `cargo bench --bench bot`; `APOGEE_BENCH_EVENTS` sets the number of events, sent one by one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use apogee::config::{Flags, Settings};
use apogee::domain::clock;
use apogee::domain::trust::Reporter;
use apogee::features::bootstrap;
use apogee::features::ingest::accept;
use apogee::features::keys::{self, KeyOwner};
use apogee::features::statsfeed::{self, FeedFilter, FeedKind, Sender};
use apogee::http::event_batch::parse;

#[allow(dead_code, clippy::unwrap_used)]
#[path = "../tests/it/bot/mock_discord.rs"]
mod mock_discord;

/// The interval of the job.
const EVERY: Duration = Duration::from_millis(400);

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let count = std::env::var("APOGEE_BENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
        let dir = tempfile::tempdir().expect("a directory");
        let discord = mock_discord::MockDiscord::start().await;
        let flags = Flags::default()
            .with("data-dir", dir.path().display().to_string())
            .with("discord.api-url", &discord.url)
            .with("discord.client-id", "1")
            .with("discord.bot-token", "the-bot-token");
        let settings = Settings::load(&flags).expect("settings");
        let opened = tokio::task::spawn_blocking(move || bootstrap::open(settings, String::new()));
        let app = Arc::new(opened.await.expect("a thread").expect("an app"));
        let (key, _) = keys::create(&app.store, "bench", KeyOwner::Operator).await.expect("a key");
        statsfeed::set(&app.store, "1", "11", FeedKind::General, FeedFilter::default()).await.expect("a feed");
        let (sender, worker) = (Sender::from_app(&app).expect("a bot"), Arc::clone(&app));
        tokio::spawn(async move {
            loop {
                sender.run(&worker).await.expect("a round");
                tokio::time::sleep(EVERY).await;
            }
        });
        let mut times = Vec::new();
        for nth in 0..count {
            let at = clock::now().0;
            let event = format!(
                "{{\"events\":[{{\"identifier\":\"kill\",\"event_time\":{at},\"killer\":\"Ann-1\",\"victim\":\"V{nth:05}\",\"game_mode\":\"PU\"}}]}}"
            );
            accept(&app, Reporter::operator(key), None, parse(event.as_bytes(), None).expect("a batch")).await.expect("an accepted batch");
            let acknowledged = Instant::now();
            while !discord.lines("11").iter().any(|line| line.contains(&format!("V{nth:05}"))) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            times.push(acknowledged.elapsed());
            // Not in phase with the job.
            tokio::time::sleep(Duration::from_millis(37 * (nth % 40))).await;
        }
        times.sort_unstable();
        let at = |share: usize| times.get((times.len() * share / 100).min(times.len() - 1)).map_or(0, Duration::as_millis);
        println!("{} events, one by one, to one channel: p50 {} ms, p95 {} ms, worst {} ms", times.len(), at(50), at(95), at(100));
    });
}
