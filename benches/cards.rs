//! Share cards: time to draw one, time to serve a cached one, and their size.
//!
//! Run with `cargo bench --bench cards`. `RUNS` sets the number of cards (default 100).

use std::error::Error;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use apogee::cards::{Card, CardRenderer, Figure, Kind, MAX_BYTES};
use apogee::config::{Flags, Settings};
use apogee::domain::scores::Metric;
use apogee::domain::windows::Window;
use apogee::features::leaderboard::{self, BoardQuery};
use apogee::features::{bootstrap, cards, transfer};
use bytes::Bytes;
use image::{ImageFormat, Rgb, RgbImage};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let runs: usize = std::env::var("RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(100).clamp(1, 100);
    drawn(runs)?;
    tokio::runtime::Runtime::new()?.block_on(served(runs))
}

/// Time to draw a card, without a site.
fn drawn(runs: usize) -> Result<(), Box<dyn Error>> {
    let own_fonts = PathBuf::from("/nonexistent");
    let begun = Instant::now();
    let cards = CardRenderer::new(own_fonts);
    cards.warm_up()?;
    println!("fonts and background read once in {:.1} ms", millis(begun.elapsed()));
    let photo = photograph()?;
    for (what, name, picture) in [
        ("a Latin name, the default picture", "Kestrel", None),
        ("a long Cyrillic name, a photograph", "Вооружённые силы Объединённой Земной Империи", Some(&photo)),
    ] {
        let (mut times, mut bytes) = (Vec::new(), Vec::new());
        for n in 0..runs {
            let begun = Instant::now();
            bytes = cards.draw(&card(name, n), picture)?;
            times.push(begun.elapsed());
        }
        line(&format!("drawn, {what}"), &mut times);
        println!("    {} bytes of {MAX_BYTES} allowed", bytes.len());
    }
    Ok(())
}

/// Time from the call of the feature to the bytes, on a site with 10,000 players.
async fn served(runs: usize) -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let flags = Flags::default().with("data-dir", dir.path().display().to_string());
    let settings = Settings::load(&flags)?;
    let app = Arc::new(tokio::task::spawn_blocking(move || bootstrap::open(settings, String::new())).await??);
    let size = transfer::DemoSize { players: 10_000, guilds: 400, events: 20_000, seed: 3 };
    transfer::generate_demo(&app, size, |_| {}).await?;
    cards::warm_up(&app.cards);
    let query = BoardQuery::top(Metric::Overall, Window::All, runs as i64);
    let (players, _) = leaderboard::players(&app, query).await?;
    let (mut cold, mut cached, mut heaviest) = (Vec::new(), Vec::new(), 0);
    for player in &players {
        let begun = Instant::now();
        let card = cards::player(&app, &player.handle).await?;
        cold.push(begun.elapsed());
        heaviest = heaviest.max(card.png.len());
        let begun = Instant::now();
        cards::player(&app, &player.handle).await?;
        cached.push(begun.elapsed());
    }
    line("not cached, figures read", &mut cold);
    line("cached, visibility checked", &mut cached);
    println!("    heaviest of {} cards: {heaviest} bytes", players.len());
    Ok(())
}

fn card(name: &str, n: usize) -> Card {
    let figure = |label, color| Figure { label, value: format!("{}.{}k", n + 1, n % 10), color };
    Card {
        kind: Kind::Player,
        name: name.into(),
        plain: "Handle".into(),
        line: "[NOVA] Nova Wing".into(),
        rank: Some(format!("#{} overall", n + 1)),
        figures: vec![
            figure("PVP", "#ff6b5e"),
            figure("PVE", "#58d6a4"),
            figure("Vehicles", "#f5c451"),
            figure("Missions", "#a58bff"),
        ],
        site: "Apogee".into(),
        patch: "ALPHA 4.3.2".into(),
    }
}

/// A picture as uploads are stored: 400x400, with shapes, gradients and noise.
fn photograph() -> Result<Bytes, image::ImageError> {
    let mut state = 0x2545_f491u32;
    let picture = RgbImage::from_fn(400, 400, |x, y| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let grain = (state % 25) as f32 - 12.0;
        let wave = ((x as f32 / 30.0).sin() + (y as f32 / 24.0).cos()) * 50.0;
        Rgb([120.0, 100.0, 150.0].map(|base: f32| (base + wave + grain).clamp(0.0, 255.0) as u8))
    });
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, ImageFormat::Jpeg)?;
    Ok(out.into_inner().into())
}

fn line(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| millis(times[((times.len() - 1) as f64 * share) as usize]);
    println!("{what}: min {:.2} ms, median {:.2} ms, p99 {:.2} ms", at(0.0), at(0.5), at(0.99));
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
