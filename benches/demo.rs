//! Processor time and memory of the demo universe: `cargo bench --bench demo`.
//! A number after `--` scales all sizes (`cargo bench --bench demo -- 0.1`).

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use apogee::demo::{Trickle, Universe};
use apogee::domain::times::EpochMillis;

const NOW: EpochMillis = EpochMillis(1_795_287_600_000);

fn main() {
    let scale: f64 = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(1.0);
    let players = (2_700_000.0 * scale) as u32;
    let guilds = (100_000.0 * scale) as u32;
    let events = (2_000_000.0 * scale) as u64;
    println!("{players} players, {guilds} guilds, {events} events; memory before: {} MB", resident_mb());

    let universe = timed("universe, handles checked for repeats", u64::from(players), || {
        Universe::new(1, players, guilds, events, NOW)
    });
    let universe = Arc::new(universe);
    timed("players", u64::from(players), || universe.players().for_each(|player| drop(black_box(player))));
    timed("guilds", u64::from(guilds), || universe.guilds().for_each(|guild| drop(black_box(guild))));
    timed("totals", u64::from(players), || {
        universe.totals().for_each(|totals| {
            black_box(totals);
        })
    });
    timed("totals with habits", u64::from(players), || {
        universe.totals().for_each(|(player, totals)| drop(black_box(universe.habits(player, &totals))));
    });
    timed("events", events, || universe.events().for_each(|event| drop(black_box(event))));
    let lives = 100_000;
    timed("live events", lives, || {
        let mut trickle = Trickle::new(Arc::clone(&universe), 600.0, NOW);
        let mut now = NOW;
        for _ in 0..lives {
            if let Some((wait, event)) = trickle.next_event(now) {
                now = EpochMillis(now.0 + i64::try_from(wait.as_millis()).unwrap_or_default());
                drop(black_box(event));
            }
        }
    });
}

fn timed<T>(what: &str, count: u64, work: impl FnOnce() -> T) -> T {
    let (begin, begin_cpu) = (Instant::now(), cpu_secs());
    let result = work();
    let wall = begin.elapsed().as_secs_f64();
    // Processor time rather than wall-clock time, which depends on the load of the machine.
    let secs = cpu_secs().zip(begin_cpu).map_or(wall, |(now, begin)| now - begin).max(1e-9);
    let rate = count as f64 / secs;
    let (now_mb, peak_mb) = (resident_mb(), peak_mb());
    println!(
        "{what}: {secs:.2} s of processor ({wall:.2} s), {rate:.0}/s; memory now {now_mb} MB, at most {peak_mb} MB"
    );
    result
}

/// `None` on systems other than Linux.
fn cpu_secs() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn resident_mb() -> u64 {
    status("VmRSS:")
}

fn peak_mb() -> u64 {
    status("VmHWM:")
}

/// 0 on systems other than Linux.
fn status(field: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim().split(' ').next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or_default() / 1024
}
