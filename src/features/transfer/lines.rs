//! Reads and writes CSV and NDJSON files, optionally gzipped. The reader numbers each line.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::Serializer;
use serde_json::{Map, Value};

use super::TransferError;
use crate::domain::json;

/// Syntax of the lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFormat {
    Csv,
    Ndjson,
}

/// Format of a file, derived from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFormat {
    pub line_format: LineFormat,
    pub is_gzip: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Limit of one line.
const MAX_LINE_BYTES: u64 = 16 << 20;

impl FileFormat {
    pub const NDJSON: Self = Self { line_format: LineFormat::Ndjson, is_gzip: false };

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
                    "{}: unknown file type: expected .csv, .ndjson or .jsonl, optionally with .gz",
                    path.display()
                )));
            }
        };
        Ok(Self { line_format, is_gzip })
    }
}

/// A line: its number, starting at 1, and its fields or why they cannot be parsed.
pub type NumberedLine = (u64, Result<Map<String, Value>, String>);

enum Source {
    Csv { reader: csv::Reader<LineStarts<Box<dyn Read + Send>>>, names: Vec<String> },
    Ndjson { text: BufReader<Box<dyn Read + Send>>, line: u64 },
}

/// Reads the lines of a file.
pub struct LineReader {
    source: Source,
    path: String,
    /// A handle with the position of the file that is read.
    file: Option<File>,
    /// Size of the file on disk.
    pub size_bytes: u64,
}

/// Notes where the lines start that are not blank. The CSV reader reports its offset before a record, which may be the end of the
/// previous line (`\r\n`) or a blank line.
struct LineStarts<R> {
    inner: R,
    /// Bytes read, and complete lines.
    at: u64,
    ended: u64,
    line_at: u64,
    is_blank: bool,
    /// Offset and number of each line that is not blank and was not returned yet.
    lines: VecDeque<(u64, u64)>,
}

impl<R> LineStarts<R> {
    fn new(inner: R) -> Self {
        Self { inner, at: 0, ended: 0, line_at: 0, is_blank: true, lines: VecDeque::new() }
    }

    /// The number of the first line that starts at `offset` or later.
    fn number_at(&mut self, offset: u64) -> Option<u64> {
        while self.lines.front().is_some_and(|(at, _)| *at < offset) {
            self.lines.pop_front();
        }
        self.lines.front().map(|(_, number)| *number)
    }
}

impl<R: Read> Read for LineStarts<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        for byte in &buf[..n] {
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
        Ok(n)
    }
}

impl LineReader {
    pub fn open(path: &Path, format: FileFormat) -> Result<Self, TransferError> {
        let failed = |why| TransferError::File { path: path.display().to_string(), why };
        let file = File::open(path).map_err(failed)?;
        let size_bytes = file.metadata().map_err(failed)?.len();
        let position = file.try_clone().map_err(failed)?;
        let lines = Self::from_reader(file, size_bytes, path.display().to_string(), format)?;
        Ok(Self { file: Some(position), ..lines })
    }

    /// Reads lines from a reader of `size_bytes` bytes.
    pub fn from_reader(
        from: impl Read + Send + 'static,
        size_bytes: u64,
        path: String,
        format: FileFormat,
    ) -> Result<Self, TransferError> {
        let bytes: Box<dyn Read + Send> = match format.is_gzip {
            true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, from))),
            false => Box::new(from),
        };
        let source = match format.line_format {
            LineFormat::Ndjson => Source::Ndjson { text: BufReader::with_capacity(1 << 16, bytes), line: 0 },
            LineFormat::Csv => {
                let (separator, bytes) =
                    csv_separator(bytes).map_err(|why| TransferError::File { path: path.clone(), why })?;
                let bytes = LineStarts::new(Box::new(bytes) as Box<dyn Read + Send>);
                let mut reader = csv::ReaderBuilder::new().flexible(true).delimiter(separator).from_reader(bytes);
                let names = reader
                    .headers()
                    .map_err(|e| {
                        TransferError::Content(format!("{path}: the first line is not a list of columns: {e}"))
                    })?
                    .iter()
                    .map(|name| name.trim().to_owned())
                    .collect();
                Source::Csv { reader, names }
            }
        };
        Ok(Self { source, path, file: None, size_bytes })
    }

    /// Bytes of the file that were read so far.
    pub fn bytes_read(&self) -> u64 {
        self.file.as_ref().and_then(|mut file| file.stream_position().ok()).unwrap_or_default()
    }

    /// Columns of a CSV file; `None` for NDJSON.
    pub fn columns(&self) -> Option<&[String]> {
        match &self.source {
            Source::Csv { names, .. } => Some(names),
            Source::Ndjson { .. } => None,
        }
    }

    /// Returns the next line that is not blank. Fails if the file cannot be read any further.
    pub fn next_line(&mut self) -> Result<Option<NumberedLine>, TransferError> {
        let path = &self.path;
        let failed = |why| TransferError::File { path: path.clone(), why };
        match &mut self.source {
            Source::Csv { reader, names } => {
                let mut record = csv::StringRecord::new();
                let read = reader.read_record(&mut record);
                if matches!(read, Ok(false)) {
                    return Ok(None);
                }
                let position = read.as_ref().map_or_else(csv::Error::position, |_| record.position()).cloned();
                let number = position.map_or(0, |position| {
                    reader.get_mut().number_at(position.byte()).unwrap_or_else(|| position.line())
                });
                let fields = match read.map_err(csv::Error::into_kind) {
                    Ok(_) => csv_fields(names, &record),
                    Err(csv::ErrorKind::Io(why)) => return Err(failed(why)),
                    Err(csv::ErrorKind::Utf8 { .. }) => Err("the line is not UTF-8".into()),
                    Err(_) => Err("the line is not valid CSV".into()),
                };
                Ok(Some((number, fields)))
            }
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
                let bytes = if *line == 1 { bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes) } else { &bytes };
                if bytes.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let fields = json::read(bytes, "the line").map_err(|error| error.to_string());
                return Ok(Some((*line, fields)));
            },
        }
    }
}

/// Finds the separator of a CSV file: spreadsheets choose it by the country, and some name it in a first line `sep=;`. That line
/// becomes blank in the returned bytes.
fn csv_separator(bytes: impl Read) -> io::Result<(u8, impl Read)> {
    let mut bytes = BufReader::with_capacity(1 << 16, bytes);
    let mut first = Vec::new();
    bytes.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut first)?;
    let separator = match first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&first) {
        [s, e, p, b'=', separator, end @ ..]
            if [*s, *e, *p].eq_ignore_ascii_case(b"sep")
                && !matches!(separator, b'\r' | b'\n' | b'"')
                && end.trim_ascii().is_empty() =>
        {
            let separator = *separator;
            first = b"\n".to_vec();
            separator
        }
        // No column has one of these in its name. Of equal counts, as in a single column, the last one wins.
        names => {
            let count = |separator: &u8| names.iter().filter(|byte| *byte == separator).count();
            [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
        }
    };
    Ok((separator, io::Cursor::new(first).chain(bytes)))
}

fn csv_fields(names: &[String], record: &csv::StringRecord) -> Result<Map<String, Value>, String> {
    if record.len() != names.len() {
        return Err(format!("expected {} fields, found {}", names.len(), record.len()));
    }
    let cell = |text: &str| if text.is_empty() { Value::Null } else { Value::String(text.to_owned()) };
    Ok(names.iter().zip(record).map(|(name, text)| (name.clone(), cell(text))).collect())
}

/// Writes lines to a writer.
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

    /// Writes the header of a CSV file.
    pub fn head(&mut self, names: &[&str]) -> io::Result<()> {
        match self {
            Self::Csv(csv) => csv.write_record(names).map_err(io::Error::other),
            Self::Ndjson(_) => Ok(()),
        }
    }

    /// Writes one line. In NDJSON, `kind` becomes the field `type`.
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
                let kind = kind.map(Value::from);
                let kind = kind.iter().map(|kind| ("type", kind));
                let given = names.iter().filter_map(|name| Some((*name, fields.get(*name)?)));
                serde_json::Serializer::new(&mut *out).collect_map(kind.chain(given))?;
                out.write_all(b"\n")
            }
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Csv(csv) => csv.flush(),
            Self::Ndjson(out) => out.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_determines_the_format() {
        let of = |name: &str| FileFormat::from_path(Path::new(name)).ok();
        assert_eq!(of("a.csv"), Some(FileFormat { line_format: LineFormat::Csv, is_gzip: false }));
        assert_eq!(of("A.JSONL.GZ"), Some(FileFormat { line_format: LineFormat::Ndjson, is_gzip: true }));
        for name in ["players", "players.gz", "players.json", "players.csv.zip"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn files_of_spreadsheets_are_read_with_the_separator_of_any_country() {
        let read = |text: &str| {
            let format = FileFormat { line_format: LineFormat::Csv, is_gzip: false };
            let bytes = io::Cursor::new(text.to_owned());
            let mut lines = LineReader::from_reader(bytes, 0, "x".into(), format).unwrap();
            let (number, fields) = lines.next_line().unwrap().unwrap();
            assert!(lines.next_line().unwrap().is_none());
            (number, Value::Object(fields.unwrap()))
        };
        let comma = "handle,player_name,org_name\n007,Zoe,First guild\n";
        let expected = serde_json::json!({"handle": "007", "player_name": "Zoe", "org_name": "First guild"});
        for separator in [",", ";", "\t"] {
            let text = comma.replace(',', separator);
            let quoted = text.replace("handle", "\"handle\"").replace("Zoe", "\"Zoe\"");
            for text in [text.clone(), text.replace('\n', "\r\n"), quoted] {
                assert_eq!(read(&text), (2, expected.clone()), "{text:?}");
                assert_eq!(read(&format!("\u{feff}{text}")), (2, expected.clone()), "{text:?}");
                for line in ["sep=", "\u{feff}sep=", "SEP="] {
                    let named = format!("{line}{separator}\r\n{text}");
                    assert_eq!(read(&named), (3, expected.clone()), "{named:?}");
                }
            }
        }
        assert_eq!(read(&format!("sep=|\n{}", comma.replace(',', "|"))), (3, expected));
        assert_eq!(read("handle\n007\n"), (2, serde_json::json!({"handle": "007"})));
    }

    #[test]
    fn an_invalid_line_affects_only_itself_and_is_numbered() {
        let read = |text: String| -> Vec<(u64, bool)> {
            let format = FileFormat { line_format: LineFormat::Csv, is_gzip: false };
            let mut lines = LineReader::from_reader(std::io::Cursor::new(text), 0, "x".into(), format).unwrap();
            let mut lines_read = Vec::new();
            while let Some((number, fields)) = lines.next_line().unwrap() {
                lines_read.push((number, fields.is_ok()));
            }
            lines_read
        };
        let text = "handle,player_name\nOne,\"a\nb\"\nTwo\nThree,c\n";
        assert_eq!(read(text.into()), [(2, true), (4, false), (5, true)]);
        // Windows line endings, a byte order mark, blank lines, and no newline at the end.
        let all = [(2, true), (4, false), (5, true)];
        assert_eq!(read(text.replace('\n', "\r\n")), all);
        assert_eq!(read(format!("\u{feff}{}", text.replace('\n', "\r\n"))), all);
        assert_eq!(read(text.trim_end().replace('\n', "\r\n")), all);
        assert_eq!(read(text.replacen('\n', "\n\n", 1)), [(3, true), (5, false), (6, true)]);
        assert_eq!(read(text.replace('\n', "\r\n").replace("\r\nT", "\r\n\r\nT")), [(2, true), (5, false), (7, true)]);
    }
}
