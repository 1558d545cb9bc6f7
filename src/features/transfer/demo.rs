//! Fills a database with the generated demo universe, and adds live events.

use std::collections::HashMap;
use std::sync::Arc;

use crate::app::App;
use crate::demo::{DemoGuild, DemoPlayer, DemoTotals, Trickle, Universe};
use crate::domain::baseline::Baseline;
use crate::domain::times::EpochMillis;
use crate::domain::trust::Reporter;
use crate::error::AppError;
use crate::features::ingest;
use crate::features::keys::{self, KeyOwner};
use crate::features::secret;
use crate::store::demo::{self as store_demo, DemoRow};
use crate::store::guilds::{self, NewGuild};
use crate::store::keys::{self as key_store, NewKey};
use crate::store::players::{self, NewPlayer};
use crate::store::{Store, Tx, recount, transfer};

use super::Progress;

/// Rows per transaction.
const BATCH_ROWS: usize = 50_000;
/// Events per transaction.
const BATCH_EVENTS: usize = 1_000;
/// Size of the universe of `serve --demo`.
const SERVE_DEMO_SIZE: DemoSize = DemoSize { players: 2_000, guilds: 80, events: 60_000, seed: 7 };
/// Rate of live events of `serve --demo`.
const LIVE_EVENTS_PER_MINUTE: f64 = 30.0;

/// Size and seed of a universe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoSize {
    pub players: u32,
    pub guilds: u32,
    pub events: u64,
    pub seed: u64,
}

impl DemoSize {
    fn universe(self, at: EpochMillis) -> Universe {
        Universe::new(self.seed, self.players, self.guilds, self.events, at)
    }
}

/// Fills an empty database for `serve --demo`, or continues with one filled earlier, and starts the live events. A database
/// with other data is not changed.
pub async fn start_demo(app: &Arc<App>) -> Result<(), AppError> {
    let Some(demo) = find_or_create_demo(&app.store, SERVE_DEMO_SIZE).await? else {
        tracing::warn!(
            "the database contains other data: the site is served without the demo; use an empty --data-dir for a demo"
        );
        return Ok(());
    };
    let size = size_of(&demo);
    if demo.filled_at.is_none() {
        tracing::info!(players = size.players, events = size.events, "filling the empty database with a demo universe");
        fill_demo(app, &demo, |_| {}).await?;
    }
    let universe = size.universe(app.store.now());
    tokio::spawn(send_live_events(Arc::clone(app), Arc::new(universe), demo.key_id));
    Ok(())
}

/// Returns the row that marks a demo database, creating it if the database is empty; `None` if it contains other data.
async fn find_or_create_demo(store: &Store, size: DemoSize) -> Result<Option<DemoRow>, AppError> {
    let hash = secret::hash(&keys::new_key()?);
    let row = DemoRow {
        seed: size.seed.cast_signed(),
        players: i64::from(size.players),
        guilds: i64::from(size.guilds),
        events: size.events.cast_signed(),
        key_id: 0,
        created_at: store.now().0,
        filled_at: None,
    };
    let act = move |tx: &mut Tx| {
        if let Some(known) = store_demo::find(tx)? {
            return Ok(Some(known));
        }
        if transfer::counts(tx)?.iter().any(|count| *count > 0) {
            return Ok(None);
        }
        // On PostgreSQL another process may have inserted it.
        if store_demo::insert(tx, row)? {
            let key_id = key_store::insert(
                tx,
                NewKey { name: "demo", key_hash: &hash, user_id: None, is_operator: true, created_at: row.created_at },
            )?;
            store_demo::set_key(tx, key_id)?;
        }
        Ok::<_, AppError>(store_demo::find(tx)?)
    };
    store.write(act).await
}

fn size_of(demo: &DemoRow) -> DemoSize {
    let small = |count: i64| u32::try_from(count).unwrap_or(0);
    DemoSize {
        players: small(demo.players),
        guilds: small(demo.guilds),
        events: demo.events.cast_unsigned(),
        seed: demo.seed.cast_unsigned(),
    }
}

/// Fills a demo database. After a crash the same universe is generated again; existing rows do not change.
async fn fill_demo(
    app: &Arc<App>,
    demo: &DemoRow,
    progress: impl FnMut(Progress) + Clone + Send + 'static,
) -> Result<(), AppError> {
    let size = size_of(demo);
    let universe = size.universe(EpochMillis(demo.created_at));
    fill(app, &universe, demo.key_id, size, progress).await?;
    let now = app.store.now().0;
    app.store.write(move |tx| store_demo::set_filled(tx, now).map_err(AppError::from)).await?;
    Ok(())
}

async fn send_live_events(app: Arc<App>, universe: Arc<Universe>, key_id: i64) {
    let mut source = Trickle::new(universe, LIVE_EVENTS_PER_MINUTE, app.store.now());
    while let Some((wait, event)) = source.next_event(app.store.now()) {
        tokio::time::sleep(wait).await;
        if let Err(error) = ingest::ingest_events(&app, Reporter::operator(key_id), vec![event]).await {
            tracing::warn!(%error, "a demo event could not be stored");
        }
    }
}

/// Adds a generated universe of any size to a database. An empty database becomes a demo that `serve --demo` continues.
pub async fn generate_demo(
    app: &Arc<App>,
    size: DemoSize,
    progress: impl FnMut(Progress) + Clone + Send + 'static,
) -> Result<(), AppError> {
    let key_id = match find_or_create_demo(&app.store, size).await? {
        Some(demo) if demo.filled_at.is_none() && size_of(&demo) == size => {
            return fill_demo(app, &demo, progress).await;
        }
        Some(demo) => demo.key_id,
        None => keys::create(&app.store, "demo", KeyOwner::Operator).await?.0,
    };
    let universe = size.universe(app.store.now());
    fill(app, &universe, key_id, size, progress).await
}

async fn fill(
    app: &Arc<App>,
    universe: &Universe,
    key_id: i64,
    size: DemoSize,
    mut progress: impl FnMut(Progress) + Clone + Send + 'static,
) -> Result<(), AppError> {
    app.projections.mark_incomplete().map_err(AppError::internal)?;
    let now = app.store.now().0;
    let mut guild_ids: HashMap<String, i64> = HashMap::new();
    for batch in batches(universe.guilds(), BATCH_ROWS) {
        let new = |guild: DemoGuild| NewGuild { tag: guild.tag, name: guild.name, created_at: now };
        let rows: Vec<NewGuild> = batch.into_iter().map(new).collect();
        guild_ids.extend(app.store.write(move |tx| guilds::upsert(tx, &rows).map_err(AppError::from)).await?);
        progress(Progress { phase: "guilds", done: guild_ids.len() as u64, total: u64::from(size.guilds) });
    }
    let ids = fill_players(&app.store, universe, &guild_ids, size, &mut progress).await?;
    // With fewer events than players, most players get generated totals instead.
    if size.events < u64::from(size.players) {
        fill_totals(app, universe, &ids, progress.clone()).await?;
    }
    let mut taken = 0;
    for batch in batches(universe.events_until_now(), BATCH_EVENTS) {
        taken += batch.len() as u64;
        ingest::ingest_events(app, Reporter::operator(key_id), batch).await?;
        progress(Progress { phase: "events", done: taken, total: size.events.max(taken) });
    }
    app.store.write(|tx| guilds::recount(tx).map_err(AppError::from)).await?;
    app.projections.finish_load(move |done, total| progress(Progress { phase: "search", done, total })).await?;
    Ok(())
}

async fn fill_players(
    store: &Store,
    universe: &Universe,
    guild_ids: &HashMap<String, i64>,
    size: DemoSize,
    progress: &mut impl FnMut(Progress),
) -> Result<Vec<i64>, AppError> {
    let now = store.now().0;
    let mut ids = Vec::with_capacity(size.players as usize);
    for batch in batches(universe.players(), BATCH_ROWS) {
        let new = |player: DemoPlayer| NewPlayer {
            handle_folded: player.handle.to_ascii_lowercase(),
            handle: player.handle,
            player_name: player.player_name,
            player_geid: Some(player.player_geid),
            guild_id: player.guild.and_then(|tag| guild_ids.get(&tag).copied()),
            created_at: now,
            is_listed: true,
        };
        let rows: Vec<NewPlayer> = batch.into_iter().map(new).collect();
        let order: Vec<String> = rows.iter().map(|row| row.handle_folded.clone()).collect();
        let keys = store.write(move |tx| players::upsert(tx, &rows).map_err(AppError::from)).await?;
        let by_handle: HashMap<String, i64> = keys.into_iter().map(|key| (key.handle_folded, key.id)).collect();
        ids.extend(order.iter().filter_map(|folded| by_handle.get(folded)));
        progress(Progress { phase: "players", done: ids.len() as u64, total: u64::from(size.players) });
    }
    Ok(ids)
}

/// The items in batches of at most `size`.
fn batches<T>(mut items: impl Iterator<Item = T>, size: usize) -> impl Iterator<Item = Vec<T>> {
    std::iter::from_fn(move || Some(items.by_ref().take(size).collect::<Vec<T>>()).filter(|batch| !batch.is_empty()))
}

/// Writes baseline totals for all players, then recounts.
async fn fill_totals(
    app: &Arc<App>,
    universe: &Universe,
    ids: &[i64],
    mut progress: impl FnMut(Progress) + Send + 'static,
) -> Result<(), AppError> {
    let mut done = 0;
    for batch in batches(universe.totals(), BATCH_ROWS) {
        let rows = batch.iter().filter_map(|(index, totals)| Some((ids.get(*index as usize)?, baseline(totals))));
        let rows = rows.map(|(id, figures)| Ok((*id, serde_json::to_string(&figures)?)));
        let rows = rows.collect::<Result<Vec<(i64, String)>, serde_json::Error>>().map_err(AppError::internal)?;
        done += rows.len() as u64;
        app.store.write(move |tx| recount::upsert_baselines(tx, &rows).map_err(AppError::from)).await?;
        progress(Progress { phase: "lifetimes", done, total: ids.len() as u64 });
    }
    ingest::recount(app, move |what, done, total| progress(Progress { phase: what, done, total })).await?;
    Ok(())
}

fn baseline(totals: &DemoTotals) -> Baseline {
    Baseline {
        pu: totals.counters.pu,
        ac: totals.counters.ac,
        unknown_deaths: totals.unknown_deaths as i64,
        missions_completed: totals.missions_completed as i64,
        playtime: totals.playtime as i64,
        last_active_at: totals.last_active.0,
    }
}
