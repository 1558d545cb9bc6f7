//! Reads a file in chunks on a separate thread, so that reading and parsing overlap.
//! Used by `once` and by the benchmark of the grammar, for logs that are read from beginning to end.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

/// Small enough for the processor's cache.
const CHUNK_BYTES: usize = 256 * 1024;
/// One chunk is parsed, one is ready, and one is being filled.
const CHUNK_COUNT: usize = 3;

/// The chunks of a file, in order.
pub struct ReadAhead {
    ready: Receiver<std::io::Result<Vec<u8>>>,
    used: Sender<Vec<u8>>,
}

impl ReadAhead {
    /// Starts reading at the current position of `file`. Fails if no thread can be created.
    pub fn new(file: impl Read + Send + 'static) -> std::io::Result<Self> {
        let (filled, ready) = sync_channel(CHUNK_COUNT);
        let (used, empty) = channel();
        for _ in 0..CHUNK_COUNT {
            // Cannot fail: the receiver is in scope.
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

    /// Returns the next chunk, empty at the end of the file. `last` is the previous chunk, whose memory is reused.
    pub fn next(&self, last: Vec<u8>) -> std::io::Result<Vec<u8>> {
        // The reading thread ends after its last chunk and needs no more buffers.
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
