//! Exports a consistent snapshot of the database; the server may keep running.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};

use crate::store::conn::AnyConn;
use crate::store::transfer::{
    AFTER_EVENTS, BEFORE_EVENTS, COMMITS, ColumnType, GUILDS, PLAYERS, Table, counts, disable_statement_timeout,
    for_each_row,
};
use crate::store::{Store, activity};

use super::atomic_file::AtomicFile;
use super::lines::{FileFormat, LineWriter};
use super::{Dataset, EXPORT_FORMAT, HEADER_KIND, LineFormat, Progress, TransferError, events};

/// Lines between two progress reports.
const PROGRESS_INTERVAL_LINES: u64 = 1_000;
/// Events of one query.
const ROWS_PER_QUERY: i64 = 2_000;

/// Result of an export.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
pub struct ExportSummary {
    pub lines: u64,
    /// Players, guilds, events and users in the database.
    pub counts: [i64; 4],
}

/// Exports to a file, which appears once it is complete and synced. Blocking.
pub fn export(
    store: &Store,
    dataset: Dataset,
    path: &Path,
    progress: impl FnMut(Progress),
) -> Result<ExportSummary, TransferError> {
    let format = FileFormat::from_path(path)?;
    if dataset == Dataset::All && format.line_format == LineFormat::Csv {
        return Err(TransferError::Usage(
            "`export all` requires .ndjson or .jsonl: its lines have different types".into(),
        ));
    }
    let failed = |why| TransferError::File { path: path.display().to_string(), why };
    let mut file = AtomicFile::create(path).map_err(failed)?;
    let done = if format.is_gzip {
        let mut gzip = GzEncoder::new(file.file(), Compression::default());
        let done = write_all(store, dataset, format.line_format, &mut gzip, progress)?;
        gzip.finish().map_err(failed)?;
        done
    } else {
        write_all(store, dataset, format.line_format, file.file(), progress)?
    };
    file.finish().map_err(failed)?;
    Ok(done)
}

/// Exports to a writer. Blocking.
pub fn write_all(
    store: &Store,
    dataset: Dataset,
    line_format: LineFormat,
    to: impl Write,
    progress: impl FnMut(Progress),
) -> Result<ExportSummary, TransferError> {
    let writer = LineWriter::new(to, line_format);
    let mut export = Export { writer, progress, done: ExportSummary::default(), what: "lines", total: 0 };
    store.read_snapshot(|conn| export.write(conn, dataset))?;
    export.writer.flush().map_err(TransferError::unwritable)?;
    Ok(export.done)
}

struct Export<W: Write, P> {
    writer: LineWriter<W>,
    progress: P,
    done: ExportSummary,
    what: &'static str,
    total: u64,
}

impl<W: Write, P: FnMut(Progress)> Export<W, P> {
    fn write(&mut self, conn: &mut AnyConn, dataset: Dataset) -> Result<(), TransferError> {
        disable_statement_timeout(conn)?;
        self.done.counts = counts(conn)?;
        let [players, guilds, events, _] = self.done.counts.map(i64::unsigned_abs);
        self.total = match dataset {
            Dataset::Players => players,
            Dataset::Guilds => guilds,
            Dataset::Events => events,
            Dataset::Commits => 0,
            Dataset::All => players + guilds + events,
        };
        match dataset {
            Dataset::Players => self.rows(conn, &PLAYERS, None),
            Dataset::Guilds => self.rows(conn, &GUILDS, None),
            Dataset::Events => self.events(conn, None),
            Dataset::Commits => self.rows(conn, &COMMITS, None),
            Dataset::All => {
                let head = Map::from_iter([("format".to_owned(), Value::from(EXPORT_FORMAT))]);
                self.line(Some(HEADER_KIND), &["format"], &head)?;
                BEFORE_EVENTS.iter().try_for_each(|table| self.rows(conn, table, Some(table.kind)))?;
                self.events(conn, Some("event"))?;
                AFTER_EVENTS.iter().try_for_each(|table| self.rows(conn, table, Some(table.kind)))
            }
        }
    }

    fn line(&mut self, kind: Option<&str>, names: &[&str], fields: &Map<String, Value>) -> Result<(), TransferError> {
        self.writer.line(kind, names, fields).map_err(TransferError::unwritable)?;
        self.done.lines += 1;
        if self.done.lines.is_multiple_of(PROGRESS_INTERVAL_LINES) {
            let done = self.done.lines;
            (self.progress)(Progress { phase: self.what, done, total: self.total.max(done) });
        }
        Ok(())
    }

    fn rows(&mut self, conn: &mut AnyConn, table: &Table, kind: Option<&str>) -> Result<(), TransferError> {
        let names: Vec<&str> =
            table.columns.iter().filter(|c| c.column_type != ColumnType::Folded).map(|c| c.name).collect();
        self.what = table.table;
        if kind.is_none() {
            self.writer.head(&names).map_err(TransferError::unwritable)?;
        }
        for_each_row(conn, table, |line| {
            let mut fields: Map<String, Value> = serde_json::from_str(&line).map_err(TransferError::unwritable)?;
            // A full export has separate lines for guilds.
            if kind.is_some() {
                fields.retain(|name, _| name != "org_name" || table.table == "guilds");
            }
            self.line(kind, &names, &fields)
        })
    }

    fn events(&mut self, conn: &mut AnyConn, kind: Option<&str>) -> Result<(), TransferError> {
        self.what = "events";
        let columns = events::columns();
        if kind.is_none() {
            self.writer.head(&columns).map_err(TransferError::unwritable)?;
        }
        let mut last_id = 0;
        loop {
            let rows = activity::after(conn, last_id, ROWS_PER_QUERY)?;
            let Some(last) = rows.last() else { return Ok(()) };
            last_id = last.id;
            for fields in events::to_lines(conn, &rows)? {
                self.line(kind, &columns, &fields)?;
            }
        }
    }
}
