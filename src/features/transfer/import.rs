//! Imports files: valid lines are written, invalid ones are reported with their numbers.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::app::App;
use crate::domain::trust::Reporter;
use crate::error::AppError;
use crate::features::ingest;
use crate::store::transfer::{self, AFTER_EVENTS, BEFORE_EVENTS, COMMITS, ColumnType, GUILDS, PLAYERS, Table};
use crate::store::{Tx, guilds};

use super::events::ParsedEvent;
use super::lines::{FileFormat, LineReader, NumberedLine};
use super::rows::{Row, parse_row};
use super::write_rows::{is_row_error, row_error_message, write_with_retry};
use super::{Dataset, EXPORT_FORMAT, HEADER_KIND, LineFormat, Progress, TransferError, events, git};

/// Rows per transaction; limits memory and what a crash rolls back.
const MAX_BATCH_ROWS: usize = 20_000;
const MAX_BATCH_EVENTS: usize = 1_000;
/// Rejected lines that are reported; further ones are only counted.
const MAX_REPORTED_ERRORS: usize = 1_000;

/// A rejected line.
#[derive(Debug, Clone, serde::Serialize)]
pub struct LineError {
    pub line: u64,
    pub error: String,
}

/// Result of an import.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct ImportSummary {
    /// Imported lines, including duplicates.
    pub taken: u64,
    /// Events among them that already existed.
    pub duplicates: u64,
    pub rejected: u64,
    /// The first thousand rejected lines.
    pub errors: Vec<LineError>,
}

/// Imports a file and rebuilds all derived data.
pub async fn import(
    app: &Arc<App>,
    dataset: Dataset,
    path: &Path,
    progress: impl FnMut(Progress) + Send + 'static,
) -> Result<ImportSummary, TransferError> {
    if dataset == Dataset::Commits && path.is_dir() {
        return import_lines(app, dataset, git::commits(path)?, progress).await;
    }
    let format = FileFormat::from_path(path)?;
    if dataset == Dataset::All && format.line_format == LineFormat::Csv {
        return Err(TransferError::Usage(
            "`import all` requires .ndjson or .jsonl: its lines have different types".into(),
        ));
    }
    import_lines(app, dataset, LineReader::open(path, format)?, progress).await
}

/// Imports lines and rebuilds all derived data.
pub async fn import_lines(
    app: &Arc<App>,
    dataset: Dataset,
    mut lines: LineReader,
    progress: impl FnMut(Progress) + Send + 'static,
) -> Result<ImportSummary, TransferError> {
    if let Some(columns) = lines.columns() {
        let needed = match dataset {
            Dataset::Guilds => "org_short",
            Dataset::Players => "handle",
            Dataset::Events => "identifier",
            Dataset::Commits => "id",
            Dataset::All => "type",
        };
        if !columns.iter().any(|name| name == needed) {
            return Err(TransferError::Content(format!("the first line has no column '{needed}'")));
        }
    }
    app.projections.mark_incomplete().map_err(AppError::internal)?;
    let mut import = Import {
        app,
        dataset,
        now: app.store.now().0,
        progress,
        done: ImportSummary::default(),
        table: None,
        rows: Vec::with_capacity(MAX_BATCH_ROWS),
        keys: HashSet::with_capacity(MAX_BATCH_ROWS),
        events: Vec::with_capacity(MAX_BATCH_EVENTS),
        known_tags: HashSet::new(),
        key_id: None,
        needs_recount: false,
    };
    while let Some(line) = lines.next_line()? {
        import.import_line(line).await?;
        import.report_progress(&lines);
    }
    import.finish().await
}

struct Import<'a, P> {
    app: &'a Arc<App>,
    dataset: Dataset,
    now: i64,
    progress: P,
    done: ImportSummary,
    table: Option<&'static Table>,
    rows: Vec<(u64, Row)>,
    keys: HashSet<String>,
    events: Vec<ParsedEvent>,
    known_tags: HashSet<String>,
    key_id: Option<i64>,
    /// Whether stored events or baselines were imported.
    needs_recount: bool,
}

impl<P: FnMut(Progress) + Send + 'static> Import<'_, P> {
    fn report_progress(&mut self, lines: &LineReader) {
        if (self.done.taken + self.rows.len() as u64 + self.events.len() as u64).is_multiple_of(1_000) {
            let (done, total) = (lines.bytes_read(), lines.size_bytes);
            (self.progress)(Progress { phase: "bytes", done, total: total.max(done) });
        }
    }

    fn reject(&mut self, line: u64, error: String) {
        self.done.rejected += 1;
        if self.done.errors.len() < MAX_REPORTED_ERRORS {
            self.done.errors.push(LineError { line, error });
        }
    }

    async fn import_line(&mut self, (number, fields): NumberedLine) -> Result<(), TransferError> {
        let mut fields = match fields {
            Ok(fields) => fields,
            Err(error) => {
                self.reject(number, error);
                return Ok(());
            }
        };
        let table = match self.dataset {
            Dataset::Players => &PLAYERS,
            Dataset::Guilds => &GUILDS,
            Dataset::Commits => &COMMITS,
            Dataset::Events => return self.add_event(number, fields).await,
            Dataset::All => match fields.remove("type").as_ref().and_then(Value::as_str) {
                Some(HEADER_KIND) => return check_header(&fields),
                Some("event") => return self.add_event(number, fields).await,
                kind => {
                    let all = BEFORE_EVENTS.iter().chain(AFTER_EVENTS);
                    match all.into_iter().find(|t| Some(t.kind) == kind) {
                        Some(table) => table,
                        None => {
                            self.reject(number, format!("unknown type '{}'", kind.unwrap_or_default()));
                            return Ok(());
                        }
                    }
                }
            },
        };
        self.add_row(number, table, fields).await
    }

    async fn add_row(
        &mut self,
        number: u64,
        table: &'static Table,
        fields: Map<String, Value>,
    ) -> Result<(), TransferError> {
        let row = match parse_row(table, fields, self.now) {
            Ok(row) => row,
            Err(error) => {
                self.reject(number, error);
                return Ok(());
            }
        };
        // A statement must not write the same row twice.
        let is_other = self.table.is_some_and(|t| t.kind != table.kind);
        if is_other || self.rows.len() == MAX_BATCH_ROWS || !self.events.is_empty() || self.keys.contains(&row.key) {
            self.flush().await?;
        }
        self.table = Some(table);
        self.needs_recount |= table.kind == "baseline";
        self.keys.insert(row.key.clone());
        self.rows.push((number, row));
        Ok(())
    }

    async fn add_event(&mut self, number: u64, fields: Map<String, Value>) -> Result<(), TransferError> {
        match events::parse(fields, self.app.store.now()) {
            Err(error) => self.reject(number, error),
            Ok(event) => {
                if !self.rows.is_empty() || self.events.len() == MAX_BATCH_EVENTS {
                    self.flush().await?;
                }
                self.events.push(event);
            }
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), TransferError> {
        self.flush_rows().await?;
        self.flush_events().await
    }

    async fn flush_rows(&mut self) -> Result<(), TransferError> {
        self.keys.clear();
        let rows = std::mem::take(&mut self.rows);
        let Some(table) = self.table.filter(|_| !rows.is_empty()) else { return Ok(()) };
        let rows = self.reject_unknown_references(table, rows).await?;
        if table.kind == "player" {
            self.add_guilds(&rows).await?;
        }
        let rows = Arc::new(rows);
        // An invalid row fails the whole batch: bisect to find it.
        let mut parts: Vec<_> = std::iter::once(0..rows.len()).collect();
        while let Some(part) = parts.pop() {
            match write_with_retry(&self.app.store, table, &rows, part.clone()).await {
                Ok(()) => self.done.taken += part.len() as u64,
                Err(error) if is_row_error(&error) && part.len() == 1 => {
                    self.reject(rows[part.start].0, row_error_message(&error));
                }
                Err(error) if is_row_error(&error) => {
                    let middle = part.start + part.len() / 2;
                    // The first half comes first, so that lines are rejected in order.
                    parts.extend([middle..part.end, part.start..middle]);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Rejects rows that reference an unknown player, guild or user.
    async fn reject_unknown_references(
        &mut self,
        table: &'static Table,
        mut rows: Vec<(u64, Row)>,
    ) -> Result<Vec<(u64, Row)>, TransferError> {
        for column in table.columns.iter().filter(|column| column.column_type.reference().is_some()) {
            let holds = column.column_type;
            // Unknown guilds of players are added.
            if table.kind == "player" && holds == ColumnType::Guild {
                continue;
            }
            let named: BTreeSet<&str> = rows.iter().filter_map(|(_, row)| row.text(column.name)).collect();
            let named: Vec<String> = named.into_iter().map(ToOwned::to_owned).collect();
            let unknown = self.app.store.read(move |conn| transfer::unknown_names(conn, holds, &named)).await?;
            rows.retain(|(number, row)| {
                let missing = row.text(column.name).filter(|name| unknown.contains(*name));
                if let Some(name) = missing {
                    self.reject(*number, format!("unknown {} '{name}'", column.name));
                }
                missing.is_none()
            });
        }
        Ok(rows)
    }

    /// Adds the guilds of players that do not exist; existing ones are unchanged.
    async fn add_guilds(&mut self, rows: &[(u64, Row)]) -> Result<(), TransferError> {
        let mut new = Vec::new();
        for (number, row) in rows {
            let Some(tag) = row.text("org_short").filter(|tag| !self.known_tags.contains(*tag)) else { continue };
            self.known_tags.insert(tag.to_owned());
            let of_guild = row.fields.iter().filter(|(name, _)| matches!(name.as_str(), "org_short" | "org_name"));
            let line = of_guild.map(|(name, value)| (name.clone(), value.clone())).collect();
            let guild = parse_row(&GUILDS, line, self.now).map_err(TransferError::Content)?;
            new.push((*number, Row { defaulted: GUILDS.columns.iter().map(|column| column.name).collect(), ..guild }));
        }
        if !new.is_empty() {
            let new = Arc::new(new);
            write_with_retry(&self.app.store, &GUILDS, &new, 0..new.len()).await?;
        }
        Ok(())
    }

    async fn flush_events(&mut self) -> Result<(), TransferError> {
        let events = std::mem::take(&mut self.events);
        let count = events.len() as u64;
        let (mut new, mut stored) = (Vec::new(), Vec::new());
        for event in events {
            match event {
                ParsedEvent::New(event) => new.push(event),
                ParsedEvent::Stored(report) => stored.push(report),
            }
        }
        if !new.is_empty() {
            let key_id = self.key().await?;
            let (_, duplicates) = ingest::ingest_valid(self.app, Reporter::operator(key_id), new).await?;
            self.done.duplicates += duplicates as u64;
        }
        if !stored.is_empty() {
            let (now, all) = (self.app.store.now(), stored.len() as u64);
            // An export of everything lists its patches, and which of them are adopted.
            let adopts_patches = self.dataset == Dataset::Events;
            let restore = move |tx: &mut Tx| ingest::restore_reports(tx, &stored, adopts_patches, now);
            let fresh = self.app.store.write(restore).await?;
            self.done.duplicates += all - fresh as u64;
            self.needs_recount |= fresh > 0;
        }
        self.done.taken += count;
        Ok(())
    }

    /// The ingest key of imported events. All imports share it, so that importing a file twice changes nothing.
    async fn key(&mut self) -> Result<i64, TransferError> {
        if let Some(id) = self.key_id {
            return Ok(id);
        }
        let now = self.now;
        let hashes = vec![transfer::IMPORT_KEY_HASH.to_owned()];
        let found =
            self.app.store.write(move |tx| transfer::keys_by_hash(tx, &hashes, now).map_err(AppError::from)).await?;
        let id = found.first().map(|(_, id)| *id).ok_or(AppError::Overloaded)?;
        self.key_id = Some(id);
        Ok(id)
    }

    async fn finish(mut self) -> Result<ImportSummary, TransferError> {
        self.flush().await?;
        (self.progress)(Progress { phase: "counting", done: 0, total: 1 });
        self.app.store.write(|tx| transfer::refresh_copies(tx).map_err(AppError::from)).await?;
        if self.needs_recount {
            let mut progress = self.progress;
            ingest::recount(self.app, move |what, done, total| progress(Progress { phase: what, done, total })).await?;
        } else {
            self.app.store.write(|tx| guilds::recount(tx).map_err(AppError::from)).await?;
        }
        self.app.projections.finish_load(|_, _| {}).await?;
        Ok(self.done)
    }
}

/// Rejects the export of another version, which this one may not be able to store.
fn check_header(fields: &Map<String, Value>) -> Result<(), TransferError> {
    let format = fields.get("format").unwrap_or(&Value::Null);
    if format.as_u64() == Some(EXPORT_FORMAT) {
        return Ok(());
    }
    Err(TransferError::Content(format!(
        "the file has format {format}, this program reads format {EXPORT_FORMAT}: use the version of Apogee that wrote it"
    )))
}
