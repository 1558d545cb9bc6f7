//! Suggestions for players and guilds: by prefix of handle, name, tag or former handle, by one typo, best by score.
//! Features call it after a commit (`apply`) and for each answer (`suggest`); the store can refill it at any time (`rebuild`).
//! Never here: SQL, who may see whom (hidden players are simply not put in), tantivy's query parser.
//!
//! How an answer stays the exact top by the score of now. The index on disk is sorted by score, so the first
//! postings of a prefix are its best; nothing is looked up among a hundred thousand candidates. A change of score
//! makes an entry leave its old place and enter anew: until the next commit (some seconds) it stands in small
//! sorted batches in memory (`fresh`), and what stands there hides what the index says of the same entry. A commit
//! writes the batches as a new sorted segment, in which the entry has its new score, and strikes the old one out.
//! An answer takes the first few of each segment and batch and merges them by score: each of those is in order, so
//! the result is exact at every moment, and the work does not grow with how much was changed. Segments are merged
//! in the background.
//!
//! `text` folds and cuts names, `schema` says what stands on disk, `segments` reads it, `fresh` holds what is younger,
//! `query` answers, `folder` opens what is on disk, `index` applies and commits.

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
