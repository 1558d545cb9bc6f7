//! Reads a whole file chunk by chunk, the next one while the last is looked at: disk and processor work side by side.
//! `once` calls it, and the benchmark of the grammar, for logs that are read from end to end.
//! Never here: what the bytes mean, and files that are followed while they grow.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

/// Small enough to stay in the processor's cache.
const CHUNK_BYTES: usize = 256 * 1024;
/// One chunk is looked at, one is ready, one is being filled.
const CHUNK_COUNT: usize = 3;

/// The chunks of a file in their order.
pub struct ReadAhead {
    ready: Receiver<std::io::Result<Vec<u8>>>,
    used: Sender<Vec<u8>>,
}

impl ReadAhead {
    /// Begins to read from where `file` stands. Fails when there is no thread to be had.
    pub fn new(file: impl Read + Send + 'static) -> std::io::Result<Self> {
        let (filled, ready) = sync_channel(CHUNK_COUNT);
        let (used, empty) = channel();
        for _ in 0..CHUNK_COUNT {
            // The other end is in scope, so this cannot fail.
            let _ = used.send(Vec::with_capacity(CHUNK_BYTES));
        }
        std::thread::Builder::new().name("read-ahead".into()).spawn(move || {
            let mut file = file;
            for mut chunk in empty {
                chunk.clear();
                let read = file.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut chunk);
                let is_last = !matches!(read, Ok(length) if length > 0);
                if filled.send(read.map(|_| chunk)).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(Self { ready, used })
    }

    /// The next bytes; none at the end of the file. `last` is the chunk before, to be filled again.
    pub fn next(&self, last: Vec<u8>) -> std::io::Result<Vec<u8>> {
        // The reading thread is gone only after its last chunk, and then wants no more room.
        let _ = self.used.send(last);
        self.ready.recv().unwrap_or_else(|_| Ok(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_join_to_the_file() {
        for length in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 5 * CHUNK_BYTES + 17] {
            let whole: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let chunks = ReadAhead::new(std::io::Cursor::new(whole.clone())).unwrap();
            let (mut read, mut chunk) = (Vec::new(), Vec::new());
            loop {
                chunk = chunks.next(chunk).unwrap();
                if chunk.is_empty() {
                    break;
                }
                read.extend_from_slice(&chunk);
            }
            assert!(read == whole, "{length} bytes");
        }
    }

    #[test]
    fn read_errors_are_returned() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("the disk is gone"))
            }
        }
        assert!(ReadAhead::new(Broken).unwrap().next(Vec::new()).is_err());
    }
}
