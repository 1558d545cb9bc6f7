//! Files of lines: CSV and NDJSON, packed or not, read with the number of each line.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};

use super::TransferError;
use crate::domain::json;

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFormat {
    Csv,
    Ndjson,
}

/// A line_format and whether the file is packed, told by its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFormat {
    pub line_format: LineFormat,
    pub is_gzip: bool,
}

/// Longer lines are no lines of ours.
const MAX_LINE_BYTES: u64 = 16 << 20;

impl FileFormat {
    pub fn from_path(path: &Path) -> Result<Self, TransferError> {
        let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let (name, is_gzip) = match name.strip_suffix(".gz") {
            Some(inner) => (inner.to_owned(), true),
            None => (name, false),
        };
        let line_format = match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("csv") => LineFormat::Csv,
            Some("ndjson" | "jsonl") => LineFormat::Ndjson,
            _ => {
                return Err(TransferError::Usage(format!(
                    "{}: the ending tells the form of a file: .csv, .ndjson or .jsonl, each also with .gz",
                    path.display()
                )));
            }
        };
        Ok(Self { line_format, is_gzip })
    }
}

/// One line: its number from 1, and its fields or why there are none.
pub type NumberedLine = (u64, Result<Map<String, Value>, String>);

enum Source {
    Csv {
        records: csv::StringRecordsIntoIter<Box<dyn Read + Send>>,
        names: Vec<String>,
        starts: Arc<Mutex<LineStarts>>,
    },
    Ndjson {
        text: BufReader<Box<dyn Read + Send>>,
        line: u64,
    },
}

/// The lines of a file, one after the other.
pub struct LineReader {
    source: Source,
    path: String,
    read: Arc<AtomicU64>,
    /// Bytes of the file on disk.
    pub size_bytes: u64,
}

struct CountingReader<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Where the lines begin that are not blank, as they scan by. The reader of CSV gives where it stood before a record, which
/// may be the end of the line before (`\r\n`) or a blank line.
#[derive(Default)]
struct LineStarts {
    /// Bytes seen, and lines that ended.
    at: u64,
    ended: u64,
    line_at: u64,
    is_blank: bool,
    /// Offset and number from 1 of each line that is not blank and was not asked for yet.
    lines: VecDeque<(u64, u64)>,
}

impl LineStarts {
    fn scan(&mut self, bytes: &[u8]) {
        if self.at == 0 {
            self.is_blank = true;
        }
        for byte in bytes {
            match byte {
                b'\n' => {
                    self.ended += 1;
                    (self.line_at, self.is_blank) = (self.at + 1, true);
                }
                b'\r' => {}
                _ if self.is_blank => {
                    self.lines.push_back((self.line_at, self.ended + 1));
                    self.is_blank = false;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The number of the first line that begins at an offset or after it.
    fn number_at(&mut self, offset: u64) -> Option<u64> {
        while self.lines.front().is_some_and(|(at, _)| *at < offset) {
            self.lines.pop_front();
        }
        self.lines.front().map(|(_, number)| *number)
    }
}

struct LineStartTracker<R> {
    inner: R,
    starts: Arc<Mutex<LineStarts>>,
}

impl<R: Read> Read for LineStartTracker<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).scan(&buf[..n]);
        Ok(n)
    }
}

/// The number of the line on which a record begins.
fn line_number(starts: &Mutex<LineStarts>, position: Option<&csv::Position>) -> u64 {
    let Some(position) = position else { return 0 };
    let mut starts = starts.lock().unwrap_or_else(PoisonError::into_inner);
    starts.number_at(position.byte()).unwrap_or_else(|| position.line())
}

impl LineReader {
    pub fn open(path: &Path, format: FileFormat) -> Result<Self, TransferError> {
        let failed = |why| TransferError::File { path: path.display().to_string(), why };
        let file = File::open(path).map_err(failed)?;
        let size_bytes = file.metadata().map_err(failed)?.len();
        Self::from_reader(file, size_bytes, path.display().to_string(), format)
    }

    /// Reads lines from anything; `size_bytes` is how many bytes there are.
    pub fn from_reader(
        from: impl Read + Send + 'static,
        size_bytes: u64,
        path: String,
        format: FileFormat,
    ) -> Result<Self, TransferError> {
        let read = Arc::new(AtomicU64::new(0));
        let counted = CountingReader { inner: from, read: Arc::clone(&read) };
        let bytes: Box<dyn Read + Send> = match format.is_gzip {
            true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, counted))),
            false => Box::new(counted),
        };
        let source = match format.line_format {
            LineFormat::Ndjson => Source::Ndjson { text: BufReader::with_capacity(1 << 16, bytes), line: 0 },
            LineFormat::Csv => {
                let starts = Arc::new(Mutex::new(LineStarts::default()));
                let bytes: Box<dyn Read + Send> =
                    Box::new(LineStartTracker { inner: bytes, starts: Arc::clone(&starts) });
                let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
                let names = reader
                    .headers()
                    .map_err(|e| TransferError::Content(format!("{path}: the first line is no list of columns: {e}")))?
                    .iter()
                    .map(|name| name.trim().to_owned())
                    .collect();
                Source::Csv { records: reader.into_records(), names, starts }
            }
        };
        Ok(Self { source, path, read, size_bytes })
    }

    /// Bytes of the file read so far.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Columns of a CSV file; NDJSON has none.
    pub fn columns(&self) -> Option<&[String]> {
        match &self.source {
            Source::Csv { names, .. } => Some(names),
            Source::Ndjson { .. } => None,
        }
    }

    /// The next line that is not empty; an error when the file itself cannot be read on.
    pub fn next_line(&mut self) -> Result<Option<NumberedLine>, TransferError> {
        let path = &self.path;
        let failed = |why| TransferError::File { path: path.clone(), why };
        match &mut self.source {
            Source::Csv { records, names, starts } => Ok(match records.next() {
                None => None,
                Some(Ok(record)) => {
                    let line = line_number(starts, record.position());
                    Some((line, csv_fields(names, &record)))
                }
                Some(Err(error)) => {
                    let line = line_number(starts, error.position());
                    match error.into_kind() {
                        csv::ErrorKind::Io(why) => return Err(failed(why)),
                        csv::ErrorKind::Utf8 { .. } => Some((line, Err("it is not UTF-8".into()))),
                        _ => Some((line, Err("it is no line of CSV".into()))),
                    }
                }
            }),
            Source::Ndjson { text, line } => loop {
                let mut bytes = Vec::new();
                let n = text.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes).map_err(failed)?;
                if n == 0 {
                    return Ok(None);
                }
                *line += 1;
                if n as u64 == MAX_LINE_BYTES && bytes.last() != Some(&b'\n') {
                    return Err(TransferError::Content(format!("line {line} is longer than 16 MiB")));
                }
                let bytes = if *line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) } else { &bytes };
                if bytes.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let fields = json::read(bytes, "it").map_err(|error| error.to_string());
                return Ok(Some((*line, fields)));
            },
        }
    }
}

fn csv_fields(names: &[String], record: &csv::StringRecord) -> Result<Map<String, Value>, String> {
    if record.len() != names.len() {
        return Err(format!("it has {} csv_fields, the first line names {}", record.len(), names.len()));
    }
    let cell = |text: &str| if text.is_empty() { Value::Null } else { Value::String(text.to_owned()) };
    Ok(names.iter().zip(record).map(|(name, text)| (name.clone(), cell(text))).collect())
}

/// Writes lines to anything.
pub enum LineWriter<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Ndjson(BufWriter<W>),
}

impl<W: Write> LineWriter<W> {
    pub fn new(to: W, line_format: LineFormat) -> Self {
        match line_format {
            LineFormat::Csv => Self::Csv(Box::new(csv::Writer::from_writer(to))),
            LineFormat::Ndjson => Self::Ndjson(BufWriter::with_capacity(1 << 16, to)),
        }
    }

    /// The first line of a CSV file.
    pub fn head(&mut self, names: &[&str]) -> io::Result<()> {
        match self {
            Self::Csv(csv) => csv.write_record(names).map_err(io::Error::other),
            Self::Ndjson(_) => Ok(()),
        }
    }

    /// One line; in NDJSON a `kind` becomes its `type`.
    pub fn line(&mut self, kind: Option<&str>, names: &[&str], fields: &Map<String, Value>) -> io::Result<()> {
        match self {
            Self::Csv(csv) => {
                let texts = names.iter().map(|name| match fields.get(*name) {
                    None | Some(Value::Null) => String::new(),
                    Some(Value::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                });
                csv.write_record(texts).map_err(io::Error::other)
            }
            Self::Ndjson(out) => {
                let mut is_first = true;
                let mut comma = |out: &mut BufWriter<W>| {
                    let sign: &[u8] = if std::mem::take(&mut is_first) { b"{" } else { b"," };
                    out.write_all(sign)
                };
                if let Some(kind) = kind {
                    comma(out)?;
                    write!(out, "\"type\":\"{kind}\"")?;
                }
                for name in names {
                    let Some(value) = fields.get(*name) else { continue };
                    comma(out)?;
                    write!(out, "\"{name}\":")?;
                    serde_json::to_writer(&mut *out, value)?;
                }
                out.write_all(b"}\n")
            }
        }
    }

    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Csv(csv) => csv.into_inner().map_err(|e| e.into_error()),
            Self::Ndjson(out) => out.into_inner().map_err(io::IntoInnerError::into_error),
        }
    }
}

/// A file to write to, packed or not.
pub enum OutputFile<'a> {
    Plain(&'a mut File),
    Gzip(GzEncoder<&'a mut File>),
}

impl<'a> OutputFile<'a> {
    pub fn new(file: &'a mut File, is_gzip: bool) -> Self {
        match is_gzip {
            true => Self::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            false => Self::Plain(file),
        }
    }

    pub fn finish(self) -> io::Result<()> {
        if let Self::Gzip(gzip) = self {
            gzip.finish()?;
        }
        Ok(())
    }
}

impl Write for OutputFile<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(buf),
            Self::Gzip(gzip) => gzip.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(gzip) => gzip.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_form() {
        let of = |name: &str| FileFormat::from_path(Path::new(name)).ok();
        assert_eq!(of("a.csv"), Some(FileFormat { line_format: LineFormat::Csv, is_gzip: false }));
        assert_eq!(of("A.JSONL.GZ"), Some(FileFormat { line_format: LineFormat::Ndjson, is_gzip: true }));
        for name in ["players", "players.gz", "players.json", "players.csv.zip"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn a_bad_line_spoils_only_itself_and_has_its_number() {
        let told = |text: String| -> Vec<(u64, bool)> {
            let format = FileFormat { line_format: LineFormat::Csv, is_gzip: false };
            let mut lines = LineReader::from_reader(std::io::Cursor::new(text), 0, "x".into(), format).unwrap();
            let mut told = Vec::new();
            while let Some((number, fields)) = lines.next_line().unwrap() {
                told.push((number, fields.is_ok()));
            }
            told
        };
        let text = "handle,player_name\nOne,\"a\nb\"\nTwo\nThree,c\n";
        assert_eq!(told(text.into()), [(2, true), (4, false), (5, true)]);
        // As editors on Windows end lines, with a mark in front, blank lines, and without a last end of line.
        let all = [(2, true), (4, false), (5, true)];
        assert_eq!(told(text.replace('\n', "\r\n")), all);
        assert_eq!(told(format!("\u{feff}{}", text.replace('\n', "\r\n"))), all);
        assert_eq!(told(text.trim_end().replace('\n', "\r\n")), all);
        assert_eq!(told(text.replacen('\n', "\n\n", 1)), [(3, true), (5, false), (6, true)]);
        assert_eq!(told(text.replace('\n', "\r\n").replace("\r\nT", "\r\n\r\nT")), [(2, true), (5, false), (7, true)]);
    }
}
