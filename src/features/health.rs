//! Whether this process works: the database's answer, and its metrics for Prometheus.

use std::path::Path;

use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use crate::app::App;
use crate::diagnostics::metrics::Total;
use crate::error::AppError;
use crate::features::backup;
use crate::store::{Store, conn, database_size, ingest};

/// Whether the database answers.
pub async fn is_database_up(store: &Store) -> bool {
    store.read(ingest::last_id).await.is_ok()
}

/// Registers the metrics of this process with their current values.
pub async fn register_metrics(app: &App, registry: &mut Registry) -> Result<(), AppError> {
    let last = app.store.read(ingest::last_id).await?;
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
    let database = conn::sqlite_path(&app.settings.database_url);
    let wal = database_size::wal_bytes(&app.settings.database_url).unwrap_or(0);
    let newest = backup::newest_backup_ms(&app.settings.backups.dir).unwrap_or(0);
    let free = fs4::available_space(&app.settings.data_dir).unwrap_or(0);
    let projections = &app.projections;
    let (search, live) = (projections.search(), projections.live());
    let panics = app.diagnostics.panics() + app.store.panics() + search.panics() + projections.panics();

    let mut gauge = |name: &str, help: &str, value: i64| registry.register(name, help, ConstGauge::new(value));
    let bytes = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    gauge("apogee_database_bytes", "Size of the SQLite database", bytes(database.as_deref().map_or(0, size)));
    gauge("apogee_wal_bytes", "Size of SQLite's write-ahead log", wal);
    gauge(
        "apogee_last_backup_seconds",
        "Epoch seconds of the newest automatic backup; 0 if there is none",
        newest / 1000,
    );
    gauge("apogee_free_bytes", "Free space of the data directory", bytes(free));
    gauge("apogee_players", "Players known", projections.players().count());
    gauge("apogee_guilds", "Guilds known", projections.guilds().count());
    gauge("apogee_live_readers", "Open live streams", live.subscriber_count() as i64);
    gauge("apogee_search_entries", "Entries in the search index", search.len() as i64);
    gauge("apogee_search_waiting", "Changed entries not yet in the index on disk", search.pending() as i64);
    registry.register("apogee_events_total", "Events stored", Total(last.unsigned_abs()));
    let help = "Handlers, transactions, effects of commits, live streams and jobs that panicked";
    registry.register("apogee_panics_total", help, Total(panics));
    Ok(())
}
