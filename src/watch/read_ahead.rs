//! Reads a whole file piece by piece, the next one while the last is looked at: disk and processor work side by side.
//! `once` calls it, and the benchmark of the grammar, for logs that are read from end to end.
//! Never here: what the bytes mean, and files that are followed while they grow.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

/// Small enough to stay in the processor's cache.
const PIECE_BYTES: usize = 256 * 1024;
/// One piece is looked at, one is ready, one is being filled.
const PIECES: usize = 3;

/// The pieces of a file in their order.
pub struct Pieces {
    ready: Receiver<std::io::Result<Vec<u8>>>,
    used: Sender<Vec<u8>>,
}

impl Pieces {
    /// Begins to read from where `file` stands. Fails when there is no thread to be had.
    pub fn of(file: impl Read + Send + 'static) -> std::io::Result<Self> {
        let (filled, ready) = sync_channel(PIECES);
        let (used, empty) = channel();
        for _ in 0..PIECES {
            // The other end is in scope, so this cannot fail.
            let _ = used.send(Vec::with_capacity(PIECE_BYTES));
        }
        std::thread::Builder::new().name("read-ahead".into()).spawn(move || {
            let mut file = file;
            for mut piece in empty {
                piece.clear();
                let read = file.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece);
                let is_last = !matches!(read, Ok(length) if length > 0);
                if filled.send(read.map(|_| piece)).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(Self { ready, used })
    }

    /// The next bytes; none at the end of the file. `last` is the piece before, to be filled again.
    pub fn next(&self, last: Vec<u8>) -> std::io::Result<Vec<u8>> {
        // The reading thread is gone only after its last piece, and then wants no more room.
        let _ = self.used.send(last);
        self.ready.recv().unwrap_or_else(|_| Ok(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_together_are_the_file() {
        for length in [0, 1, PIECE_BYTES - 1, PIECE_BYTES, 5 * PIECE_BYTES + 17] {
            let whole: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let pieces = Pieces::of(std::io::Cursor::new(whole.clone())).unwrap();
            let (mut read, mut piece) = (Vec::new(), Vec::new());
            loop {
                piece = pieces.next(piece).unwrap();
                if piece.is_empty() {
                    break;
                }
                read.extend_from_slice(&piece);
            }
            assert!(read == whole, "{length} bytes");
        }
    }

    #[test]
    fn a_failure_to_read_is_told() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("the disk is gone"))
            }
        }
        assert!(Pieces::of(Broken).unwrap().next(Vec::new()).is_err());
    }
}
