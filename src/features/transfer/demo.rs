//! Bulk loads: the generated universe.

use std::collections::HashMap;
use std::sync::Arc;

use crate::app::App;
use crate::demo::{DemoTotals, Trickle, Universe};
use crate::domain::counters::Counter;
use crate::error::AppError;
use crate::features::ingest::{self, Baseline};
use crate::features::{changes, index, keys};
use crate::store::guilds::{self, NewGuild};
use crate::store::players::{self, NewPlayer};
use crate::store::{ingest as events, recount};

use super::Step;

/// How many rows one transaction of a bulk load writes.
const CHUNK: usize = 1_000;
/// The universe of `serve --demo`.
const SITE: DemoSize = DemoSize { players: 2_000, guilds: 80, events: 60_000, seed: 7 };
/// Live events a minute of `serve --demo`.
const PACE: f64 = 30.0;

/// How large a universe is.
#[derive(Debug, Clone, Copy)]
pub struct DemoSize {
    pub players: u32,
    pub guilds: u32,
    pub events: u64,
    pub seed: u64,
}

/// Fills an empty database for `serve --demo` and keeps it alive; leaves any other as it is.
pub async fn demo_site(app: &Arc<App>) -> Result<(), AppError> {
    let is_empty = app.player_count.load(std::sync::atomic::Ordering::Relaxed) == 0;
    let universe = Universe::new(SITE.seed, SITE.players, SITE.guilds, SITE.events, App::now());
    let (key_id, _) = keys::create(&app.store, "demo", None).await?;
    if is_empty {
        tracing::info!(players = SITE.players, events = SITE.events, "filling the empty database with a demo universe");
        fill(app, &universe, key_id, SITE, |_| {}).await?;
    }
    tokio::spawn(trickle(Arc::clone(app), Arc::new(universe), key_id));
    Ok(())
}

async fn trickle(app: Arc<App>, universe: Arc<Universe>, key_id: i64) {
    let mut trickle = Trickle::new(universe, PACE, App::now());
    while let Some((wait, event)) = trickle.next_event(App::now()) {
        tokio::time::sleep(wait).await;
        if let Err(error) = ingest::take_events(&app, key_id, vec![event]).await {
            tracing::warn!(%error, "a demo event was not taken in");
        }
    }
}

/// Fills a database with a generated universe of any size.
pub async fn demo(app: &Arc<App>, size: DemoSize, progress: impl FnMut(Step)) -> Result<(), AppError> {
    let universe = Universe::new(size.seed, size.players, size.guilds, size.events, App::now());
    let (key_id, _) = keys::create(&app.store, "demo", None).await?;
    fill(app, &universe, key_id, size, progress).await
}

async fn fill(
    app: &Arc<App>,
    universe: &Universe,
    key_id: i64,
    size: DemoSize,
    mut progress: impl FnMut(Step),
) -> Result<(), AppError> {
    let now = App::now().0;
    let mut guild_ids: HashMap<String, i64> = HashMap::new();
    let mut waiting = Vec::with_capacity(CHUNK);
    let mut all = universe.guilds().peekable();
    while let Some(guild) = all.next() {
        waiting.push(NewGuild { tag: guild.tag, name: guild.name, created_at: now });
        if waiting.len() == CHUNK || all.peek().is_none() {
            let rows = std::mem::take(&mut waiting);
            guild_ids.extend(app.store.write(move |tx| guilds::upsert(tx, &rows).map_err(AppError::from)).await?);
            progress(Step { what: "guilds", done: guild_ids.len() as u64, total: u64::from(size.guilds) });
        }
    }
    let ids = fill_players(app, universe, &guild_ids, size, &mut progress).await?;
    // Few events for many players: most of them get their figures without.
    if size.events < u64::from(size.players) {
        fill_totals(app, universe, &ids, size, &mut progress).await?;
    }
    let mut taken = 0;
    let mut batch = Vec::with_capacity(CHUNK);
    for event in universe.events_until_now() {
        batch.push(event);
        if batch.len() == CHUNK {
            taken += CHUNK as u64;
            ingest::take_events(app, key_id, std::mem::take(&mut batch)).await?;
            progress(Step { what: "events", done: taken, total: size.events.max(taken) });
        }
    }
    ingest::take_events(app, key_id, batch).await?;
    app.store.write(|tx| guilds::recount(tx).map_err(AppError::from)).await?;
    let worker = Arc::clone(app);
    tokio::task::spawn_blocking(move || {
        index::reload_ranks(&worker)?;
        index::rebuild_search(&worker, |_| {})
    })
    .await
    .map_err(AppError::internal)?
    .map_err(AppError::internal)?;
    changes::everything(app).await
}

async fn fill_players(
    app: &Arc<App>,
    universe: &Universe,
    guild_ids: &HashMap<String, i64>,
    size: DemoSize,
    progress: &mut impl FnMut(Step),
) -> Result<Vec<i64>, AppError> {
    let now = App::now().0;
    let mut ids = Vec::with_capacity(size.players as usize);
    let mut waiting = Vec::with_capacity(CHUNK);
    let mut all = universe.players().peekable();
    while let Some(player) = all.next() {
        waiting.push(NewPlayer {
            handle_folded: player.handle.to_ascii_lowercase(),
            handle: player.handle,
            player_name: player.player_name,
            player_geid: Some(player.player_geid),
            guild_id: player.guild.and_then(|tag| guild_ids.get(&tag).copied()),
            created_at: now,
        });
        if waiting.len() == CHUNK || all.peek().is_none() {
            let rows = std::mem::take(&mut waiting);
            let order: Vec<String> = rows.iter().map(|row| row.handle_folded.clone()).collect();
            let keys = app.store.write(move |tx| players::upsert(tx, &rows).map_err(AppError::from)).await?;
            let by_handle: HashMap<String, i64> = keys.into_iter().map(|key| (key.handle_folded, key.id)).collect();
            ids.extend(order.iter().filter_map(|folded| by_handle.get(folded)));
            progress(Step { what: "players", done: ids.len() as u64, total: u64::from(size.players) });
        }
    }
    Ok(ids)
}

async fn fill_totals(
    app: &Arc<App>,
    universe: &Universe,
    ids: &[i64],
    size: DemoSize,
    progress: &mut impl FnMut(Step),
) -> Result<(), AppError> {
    let mut waiting: Vec<(i64, Baseline)> = Vec::with_capacity(CHUNK);
    let mut done = 0;
    let mut all = universe.totals().peekable();
    while let Some((index, totals)) = all.next() {
        if let Some(id) = ids.get(index as usize) {
            waiting.push((*id, baseline(&totals)));
        }
        if waiting.len() == CHUNK || all.peek().is_none() {
            done += waiting.len() as u64;
            let rows = std::mem::take(&mut waiting);
            app.store.write(move |tx| store_baselines(tx, &rows)).await?;
            progress(Step { what: "figures", done, total: u64::from(size.players) });
        }
    }
    Ok(())
}

fn store_baselines(tx: &mut crate::store::Tx, rows: &[(i64, Baseline)]) -> Result<(), AppError> {
    let ids: Vec<i64> = rows.iter().map(|(id, _)| *id).collect();
    let keys: HashMap<i64, _> = players::find_keys_by_id(tx, &ids)?.into_iter().map(|key| (key.id, key)).collect();
    let mut texts = Vec::with_capacity(rows.len());
    let mut changes = Vec::with_capacity(rows.len());
    let mut counters = Vec::with_capacity(rows.len() * 2);
    for (id, figures) in rows {
        let Some(key) = keys.get(id) else { continue };
        texts.push((*id, serde_json::to_string(figures).map_err(AppError::internal)?));
        changes.push(figures.scores(*id, key.handle_folded.clone(), key.is_hidden));
        counters.extend([(*id, 1, figures.pu), (*id, 2, figures.ac)]);
    }
    recount::put_baselines(tx, &texts)?;
    events::add_scores(tx, changes)?;
    events::add_counters(tx, &counters)?;
    Ok(())
}

fn baseline(totals: &DemoTotals) -> Baseline {
    let ten = |get: &dyn Fn(Counter) -> i64| {
        [
            Counter::PlayerKills,
            Counter::PlayerDeaths,
            Counter::NpcKills,
            Counter::NpcDeaths,
            Counter::SoftDeathCaused,
            Counter::SoftDeathReceived,
            Counter::DestructionCaused,
            Counter::DestructionReceived,
            Counter::InstantDestructionCaused,
            Counter::InstantDestructionReceived,
        ]
        .map(get)
    };
    Baseline {
        pu: ten(&|counter| totals.pu.get(counter) as i64),
        ac: ten(&|counter| totals.ac.get(counter) as i64),
        unknown_deaths: totals.unknown_deaths as i64,
        missions_completed: totals.missions_completed as i64,
        playtime: totals.playtime as i64,
        last_active_at: totals.last_active.0,
    }
}
