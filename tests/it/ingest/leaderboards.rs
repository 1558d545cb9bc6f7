//! Leaderboards from memory equal those from the database.

use std::sync::Arc;

use apogee::app::App;
use apogee::domain::scores::Metric;
use apogee::domain::trust::Reporter;
use apogee::domain::windows::Window;
use apogee::features::ingest::accept;
use apogee::features::leaderboard::{self, BoardQuery};
use apogee::http::event_batch::parse;
use serde_json::{Value, json};

use crate::support::*;

on_both!(leaderboards_in_memory_equal_the_database);

const PAGE: i64 = 40;

/// Every page of every leaderboard, without movements, which depend on the time of the start.
async fn pages(app: &App) -> Vec<Value> {
    let mut pages = Vec::new();
    let starts = || (0..200).step_by(PAGE as usize);
    for (metric, is_desc) in Metric::ALL.into_iter().flat_map(|metric| [(metric, true), (metric, false)]) {
        for offset in starts() {
            let query = BoardQuery { metric, is_desc, window: Window::All, limit: PAGE, offset };
            let (mut players, total) = leaderboard::players(app, query).await.unwrap();
            players.iter_mut().for_each(|row| row.movement = None);
            let (mut guilds, of) = leaderboard::guilds(app, query).await.unwrap();
            guilds.iter_mut().for_each(|row| row.movement = None);
            pages.push(json!([metric.as_str(), is_desc, offset, players, total, guilds, of]));
        }
    }
    pages
}

/// Whether every leaderboard is in memory.
fn are_in_memory(app: &App) -> bool {
    let here = |metric| {
        app.projections.players().cached_page(metric, 0, 1).is_some()
            && app.projections.guilds().cached_page(metric, 0, 1).is_some()
    };
    Metric::ALL.into_iter().all(here)
}

async fn leaderboards_in_memory_equal_the_database(on: Backend) {
    let mut server = Server::prepare(on);
    crate::api::insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    server.stop();
    let key_id = server.database.number("SELECT id FROM ingest_keys WHERE name = 'reader'");
    assert!(!key.is_empty());
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let open = |dir: usize| tokio::task::block_in_place(|| inside(&server, dirs[dir].path()));
    let app: Arc<App> = open(0);
    let send = async |events: Vec<Value>| {
        let body = serde_json::to_vec(&json!({ "events": events })).unwrap();
        accept(&app, Reporter::operator(key_id), None, parse(&body, None).unwrap()).await.unwrap();
    };
    let name =
        |n: i64| ["Ann-1", "Bob-1", "Cyd-2"].get(n as usize).map_or(format!("Pilot-{n}"), |name| name.to_string());
    for n in 0..120 {
        let mut events = npc_kills(&name(n), 1 + n * 7 % 13, now() - 3 * DAY + n * 100_000);
        events.extend(in_a_row(now() - DAY - n * 1_000_000, [own("login", &name(n)), own("logout", &name(n))]));
        send(events).await;
    }
    let from_database = pages(&app).await;
    assert!(!are_in_memory(&app), "not requested yet");
    app.projections.refresh_leaderboards().await.unwrap();
    assert!(are_in_memory(&app));
    assert_eq!(pages(&app).await, from_database);

    // Some players rise, one is new, the first is hidden, and another selects a picture.
    for n in [3, 40, 77, 119, 500, 1] {
        send(npc_kills(&name(n), 9, now() - DAY / 2 + n * 100_000)).await;
    }
    let first = pages(&app).await[0][3][0]["handle"].as_str().unwrap().to_owned();
    set_hidden(&app, &first, true).await;
    assert!(are_in_memory(&app), "changes are applied without a reload");
    let followed = pages(&app).await;
    assert_ne!(followed, from_database);
    assert!(!json!(followed).to_string().contains(&format!("\"{first}\"")), "{first} is hidden");
    assert_eq!(followed, pages(&open(1)).await, "a new process reads the same from the database");
    set_hidden(&app, &first, false).await;
    assert!(json!(pages(&app).await).to_string().contains(&format!("\"{first}\"")));
}
