//! A file of records. Each record is a line with a checksum, and an incomplete record at the end is truncated.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Crc;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::ReaderError;

const CHECKSUM_DIGITS: usize = 8;

/// The position of a record in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub at: u64,
    pub length: usize,
}

pub(super) struct AppendLog {
    path: PathBuf,
    file: File,
    pub length: u64,
}

impl AppendLog {
    /// Opens the file and passes every complete record to `on_record`. An incomplete end is truncated.
    pub fn open<R: DeserializeOwned>(path: &Path, on_record: impl FnMut(Span, R)) -> Result<Self, ReaderError> {
        let open = || OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = open().map_err(ReaderError::file(path, "opened"))?;
        let length = read_records(&file, on_record).map_err(ReaderError::file(path, "read"))?;
        file.set_len(length).map_err(ReaderError::file(path, "truncated"))?;
        Ok(Self { path: path.to_owned(), file, length })
    }

    /// Appends a record. With `is_durable`, it survives a power failure once this returns.
    pub fn append(&mut self, record: &impl Serialize, is_durable: bool) -> Result<Span, ReaderError> {
        let line = encode(record).map_err(ReaderError::file(&self.path, "written"))?;
        let written = self.file.write_all(&line).and_then(|()| if is_durable { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // A partial record must not precede the next one. If this fails too, the next open truncates it.
            let _ = self.file.set_len(self.length);
            return Err(ReaderError::file(&self.path, "written")(error));
        }
        let span = Span { at: self.length, length: line.len() };
        self.length += line.len() as u64;
        Ok(span)
    }

    /// Reads one record.
    pub fn read<R: DeserializeOwned>(&mut self, span: Span) -> Result<R, ReaderError> {
        let mut line = vec![0; span.length];
        let read = self.file.seek(SeekFrom::Start(span.at)).and_then(|_| self.file.read_exact(&mut line));
        read.map_err(ReaderError::file(&self.path, "read"))?;
        line.strip_suffix(b"\n").and_then(decode).ok_or_else(|| {
            let damaged = std::io::Error::new(std::io::ErrorKind::InvalidData, "a record is damaged");
            ReaderError::file(&self.path, "read")(damaged)
        })
    }

    /// Begins the file that replaces this one: see [`Self::replace_with`].
    pub fn successor(&self) -> Result<Self, ReaderError> {
        let path = self.path.with_extension("new");
        let _ = std::fs::remove_file(&path);
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(&path);
        Ok(Self { file: file.map_err(ReaderError::file(&path, "created"))?, path, length: 0 })
    }

    /// Replaces all records by those of the successor. After a crash, the file contains either these or those.
    pub fn replace_with(&mut self, successor: Self) -> Result<(), ReaderError> {
        let replaced = successor.file.sync_all().and_then(|()| std::fs::rename(&successor.path, &self.path));
        replaced.map_err(ReaderError::file(&self.path, "rewritten"))?;
        sync_folder(&self.path);
        (self.file, self.length) = (successor.file, successor.length);
        Ok(())
    }
}

/// Passes the records before the first incomplete one to `on_record`. Returns their length.
pub(super) fn read_records<R: DeserializeOwned>(
    file: impl Read,
    mut on_record: impl FnMut(Span, R),
) -> std::io::Result<u64> {
    let (mut length, mut line, mut lines) = (0, Vec::new(), BufReader::new(file));
    loop {
        line.clear();
        let read = lines.read_until(b'\n', &mut line)?;
        let Some(record) = line.strip_suffix(b"\n").and_then(decode) else { return Ok(length) };
        on_record(Span { at: length, length: read }, record);
        length += read as u64;
    }
}

/// Makes a rename durable on systems where directories can be synced.
fn sync_folder(path: &Path) {
    if cfg!(unix)
        && let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok())
    {
        // Best effort: if the rename is lost in a power failure, the old file is still valid.
        let _ = folder.sync_all();
    }
}

fn encode(record: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let json = serde_json::to_vec(record)?;
    let mut line = format!("{:08x} ", crc32(&json)).into_bytes();
    line.extend_from_slice(&json);
    line.push(b'\n');
    Ok(line)
}

fn decode<R: DeserializeOwned>(line: &[u8]) -> Option<R> {
    let (sum, json) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    let json = json.strip_prefix(b" ").filter(|json| crc32(json) == sum)?;
    serde_json::from_slice(json).ok()
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
