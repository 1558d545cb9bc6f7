//! Whether this process works: the database's answer, and its metrics for Prometheus.

use std::fmt::Write;
use std::path::Path;

use crate::app::App;
use crate::error::AppError;
use crate::features::backup;
use crate::store::{database_size, ingest, snapshot};

/// Whether the database answers.
pub async fn is_database_up(app: &App) -> bool {
    app.store.read(ingest::last_id).await.is_ok()
}

/// The metrics of this process in the text format of Prometheus.
pub async fn metrics(app: &App) -> Result<String, AppError> {
    let last = app.store.read(ingest::last_id).await?;
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len() as i64);
    let database = snapshot::sqlite_path(&app.settings.database_url);
    let log = database_size::wal_bytes(&app.settings.database_url).unwrap_or(0);
    let newest = backup::newest_backup_ms(&app.settings.backups_dir()).unwrap_or(0);
    let free = fs4::available_space(&app.settings.data_dir).unwrap_or(0);
    let projections = &app.projections;
    let panics = app.diagnostics.panics() + app.store.panics() + projections.search().panics() + projections.panics();
    let panics = i64::try_from(panics).unwrap_or(i64::MAX);
    let gauges: [(&str, &str, i64); 11] = [
        ("apogee_database_bytes", "Size of the SQLite database", database.as_deref().map_or(0, size)),
        ("apogee_wal_bytes", "Size of SQLite's write-ahead log", log),
        (
            "apogee_last_backup_seconds",
            "Epoch seconds of the newest automatic backup; 0 if there is none",
            newest / 1000,
        ),
        ("apogee_free_bytes", "Free space of the data directory", i64::try_from(free).unwrap_or(i64::MAX)),
        ("apogee_players", "Players known", projections.players().count()),
        ("apogee_guilds", "Guilds known", projections.guilds().count()),
        ("apogee_events_total", "Events stored", last),
        ("apogee_live_readers", "Open live streams", projections.live().subscriber_count() as i64),
        ("apogee_search_entries", "Entries in the search index", projections.search().len() as i64),
        (
            "apogee_panics_total",
            "Handlers, transactions, effects of commits, live streams and jobs that panicked",
            panics,
        ),
        (
            "apogee_search_waiting",
            "Changed entries not yet in the index on disk",
            projections.search().pending() as i64,
        ),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}").map_err(AppError::internal)?;
    }
    Ok(text)
}
