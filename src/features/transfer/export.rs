//! Exports a consistent snapshot of the database; the server may keep running.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value};

use crate::store::conn::AnyConn;
use crate::store::transfer::{
    AFTER_EVENTS, BEFORE_EVENTS, ColumnType, GUILDS, PLAYERS, Table, counts, for_each_row, snapshot,
};
use crate::store::{Store, StoreError, activity};

use super::atomic_file::AtomicFile;
use super::lines::{FileFormat, LineWriter, OutputFile};
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

#[derive(Debug, thiserror::Error)]
pub(super) enum ExportError {
    #[error(transparent)]
    Query(#[from] diesel::result::Error),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("a row could not be read: {0}")]
    Row(#[from] serde_json::Error),
    #[error("a newer version of Apogee has stored report {0}: export with that version")]
    UnknownCode(i64),
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
    let mut output = OutputFile::new(file.file(), format.is_gzip);
    let done = write_all(store, dataset, format.line_format, &mut output, progress)?;
    output.finish().map_err(failed)?;
    file.finish().map_err(failed)?;
    Ok(done)
}

/// Exports to a writer. Blocking.
pub fn write_all(
    store: &Store,
    dataset: Dataset,
    line_format: LineFormat,
    to: impl Write,
    mut progress: impl FnMut(Progress),
) -> Result<ExportSummary, TransferError> {
    let mut out = ExportWriter {
        writer: LineWriter::new(to, line_format),
        done: ExportSummary::default(),
        what: "lines",
        total: 0,
    };
    let outcome =
        store.read_blocking(|conn| Ok(snapshot(conn, |conn| write(conn, dataset, &mut out, &mut progress))))?;
    outcome.map_err(|error| match error {
        ExportError::Query(error) => StoreError::Query(error).into(),
        other => TransferError::Content(format!("the export could not be written: {other}")),
    })?;
    let failed = |why: std::io::Error| TransferError::Content(format!("the export could not be written: {why}"));
    out.writer.finish().and_then(|mut to| to.flush()).map_err(failed)?;
    Ok(out.done)
}

struct ExportWriter<W: Write> {
    writer: LineWriter<W>,
    done: ExportSummary,
    what: &'static str,
    total: u64,
}

impl<W: Write> ExportWriter<W> {
    fn line(
        &mut self,
        kind: Option<&str>,
        names: &[&str],
        fields: &Map<String, Value>,
        progress: &mut impl FnMut(Progress),
    ) -> Result<(), ExportError> {
        self.writer.line(kind, names, fields)?;
        self.done.lines += 1;
        if self.done.lines.is_multiple_of(PROGRESS_INTERVAL_LINES) {
            progress(Progress { phase: self.what, done: self.done.lines, total: self.total.max(self.done.lines) });
        }
        Ok(())
    }
}

fn write<W: Write>(
    conn: &mut AnyConn,
    dataset: Dataset,
    out: &mut ExportWriter<W>,
    progress: &mut impl FnMut(Progress),
) -> Result<(), ExportError> {
    out.done.counts = counts(conn)?;
    let [players, guilds, events, _] = out.done.counts.map(i64::unsigned_abs);
    match dataset {
        Dataset::Players => {
            out.total = players;
            rows(conn, &PLAYERS, None, out, progress)
        }
        Dataset::Guilds => {
            out.total = guilds;
            rows(conn, &GUILDS, None, out, progress)
        }
        Dataset::Events => {
            out.total = events;
            all_events(conn, None, out, progress)
        }
        Dataset::Commits => rows(conn, &crate::store::transfer::COMMITS, None, out, progress),
        Dataset::All => {
            out.total = players + guilds + events;
            let head = Map::from_iter([("format".to_owned(), Value::from(EXPORT_FORMAT))]);
            out.line(Some(HEADER_KIND), &["format"], &head, progress)?;
            for table in BEFORE_EVENTS {
                rows(conn, table, Some(table.kind), out, progress)?;
            }
            all_events(conn, Some("event"), out, progress)?;
            for table in AFTER_EVENTS {
                rows(conn, table, Some(table.kind), out, progress)?;
            }
            Ok(())
        }
    }
}

fn rows<W: Write>(
    conn: &mut AnyConn,
    table: &Table,
    kind: Option<&str>,
    out: &mut ExportWriter<W>,
    progress: &mut impl FnMut(Progress),
) -> Result<(), ExportError> {
    let names: Vec<&str> =
        table.columns.iter().filter(|c| c.column_type != ColumnType::Folded).map(|c| c.name).collect();
    out.what = table.table;
    if kind.is_none() {
        out.writer.head(&names)?;
    }
    for_each_row(conn, table, |line| {
        let mut fields: Map<String, Value> = serde_json::from_str(&line)?;
        // A full export has separate lines for guilds.
        if kind.is_some() {
            fields.retain(|name, _| name != "org_name" || table.table == "guilds");
        }
        out.line(kind, &names, &fields, progress)
    })
}

fn all_events<W: Write>(
    conn: &mut AnyConn,
    kind: Option<&str>,
    out: &mut ExportWriter<W>,
    progress: &mut impl FnMut(Progress),
) -> Result<(), ExportError> {
    out.what = "events";
    let columns = events::columns();
    if kind.is_none() {
        out.writer.head(&columns)?;
    }
    let mut last_id = 0;
    loop {
        let rows = activity::after(conn, last_id, ROWS_PER_QUERY)?;
        let Some(last) = rows.last() else { return Ok(()) };
        last_id = last.id;
        for fields in events::to_lines(conn, &rows)? {
            out.line(kind, &columns, &fields, progress)?;
        }
    }
}
