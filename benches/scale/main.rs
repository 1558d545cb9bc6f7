//! Search, ranks and leaderboards with 2.7 million players and 100,000 guilds, compared with SQLite FTS5, PostgreSQL and Redis in
//! one run.
//!
//! Run with `cargo bench --bench scale`. `APOGEE_BENCH_PLAYERS`, `_GUILDS` and `_EVENTS` set other sizes. `APOGEE_BENCH_DIR` names
//! a data directory, which is filled if it is empty and not deleted. PostgreSQL is that of `APOGEE_BENCH_PG` or `TEST_PG_URL`; Redis is
//! started if `redis-server` is installed; the report names what is missing. `APOGEE_BENCH_ONLY` selects one part: `suggest`,
//! `ranks`, `web` or `rebuild`.

mod http;
mod people;
mod process;
mod ranks;
mod report;
mod suggest;
mod web;

use std::error::Error;
use std::path::PathBuf;

use people::People;
use process::Apogee;
use report::Report;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let number = |name: &str, usual: usize| std::env::var(name).map_or(Ok(usual), |text| text.parse());
    let players = number("APOGEE_BENCH_PLAYERS", 2_700_000)?;
    let guilds = number("APOGEE_BENCH_GUILDS", 100_000)?;
    let events = number("APOGEE_BENCH_EVENTS", 300_000)?;
    let own = tempfile::tempdir()?;
    let dir = std::env::var_os("APOGEE_BENCH_DIR").map_or(own.path().join("data"), PathBuf::from);
    let apogee = Apogee::new(&dir);
    let mut report = Report::new(players, guilds, events);

    if !dir.join("apogee.db").exists() {
        let [players, guilds, events] = [players, guilds, events].map(|n| n.to_string());
        let filled = apogee.run(&["demo", "--players", &players, "--guilds", &guilds, "--events", &events])?;
        report.row("`apogee demo` with these sizes", &filled.to_string(), "some minutes", "");
    }
    report.row("size on disk", &process::sizes(&dir)?, "", "");

    let people = People::read(&dir)?;
    let queries = people.queries();
    let only = std::env::var("APOGEE_BENCH_ONLY").ok();
    let is_wanted = |part: &str| only.as_deref().is_none_or(|only| only == part);
    if is_wanted("suggest") {
        suggest::measure(&dir, own.path(), &people, &queries, &mut report)?;
    }
    if is_wanted("ranks") {
        ranks::measure(&people, own.path(), &mut report)?;
    }
    if is_wanted("web") {
        web::measure(&apogee, &people, &queries, &mut report)?;
    }
    if is_wanted("rebuild") {
        let rebuilt = apogee.run(&["reindex"])?;
        report.row("`apogee reindex`", &rebuilt.to_string(), "under 180 s", "");
        import(&apogee, own.path(), &mut report)?;
    }
    report.print();
    Ok(())
}

/// Exports all players as CSV and imports them into an empty database.
fn import(apogee: &Apogee, scratch: &std::path::Path, report: &mut Report) -> Outcome<()> {
    let (guilds, players) = (scratch.join("guilds.csv"), scratch.join("players.csv"));
    let (guilds, players) = (guilds.display().to_string(), players.display().to_string());
    apogee.run(&["export", "guilds", &guilds])?;
    apogee.run(&["export", "players", &players])?;
    let fresh = Apogee::new(&scratch.join("imported"));
    let first = fresh.run(&["import", "guilds", &guilds])?;
    report.row("`apogee import guilds` from CSV", &first.to_string(), "", "");
    let second = fresh.run(&["import", "players", &players])?;
    report.row("`apogee import players` from CSV", &second.to_string(), "some minutes", "");
    Ok(())
}
