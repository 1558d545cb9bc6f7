//! The transparency log: a Merkle tree (RFC 6962) over lines of text, its tiles, its signed checkpoints, and the checks that anyone
//! can make with them.

mod hash;
mod line;
mod note;
mod proof;
mod tile;

pub use hash::{Hash, SALT_BYTES, entry, leaf_hash, node_hash};
pub use line::{Line, names};
pub use note::{Checkpoint, LogKey, NoteError, VerifierKey};
pub use proof::{LeafRange, consistency_ranges, inclusion_ranges, verify_consistency, verify_inclusion};
pub use tile::{TILE_WIDTH, TileId, TilePath, TileSet, Tree, partial_tiles, tiles_of};
