//! State derived from events: scores, leaderboards, rosters and the search index.

mod leaderboards;
mod recount;
mod rosters;
mod search_index;
