//! Suggestions for players and guilds by prefix of handle, name, tag or former handle, or within one typo, ordered by score.
//! Called by features: `apply` after a commit, `suggest` for a query, `rebuild` to fill the index from the database.
//! Never here: SQL, visibility rules (hidden players are not in the index), tantivy's query parser.
//!
//! The result is exact at every moment. Each segment on disk is sorted by score, so the first postings of a prefix are its best
//! entries. A changed score moves an entry: until the next commit (some seconds) the new state is in small sorted batches in memory
//! (`overlay`), which hide the state on disk. A commit writes the batches as a new sorted segment and deletes the old entries. A
//! query reads the first few entries of each segment and batch and merges them by score, so its cost does not depend on the number
//! of changes. Segments are merged in the background.
//!
//! `text` folds and splits names, `schema` defines the format on disk, `segments` reads it, `overlay` holds newer changes, `query`
//! computes a result, `directory` opens the index, `index` applies and commits.

mod directory;
mod entry;
mod index;
mod overlay;
mod query;
mod schema;
mod segments;
#[cfg(test)]
mod tests;
mod text;

pub use entry::{Change, Entry, Hit, Kind, MatchKind, OpenOutcome, SearchError, Watermark};
pub use index::SearchIndex;
