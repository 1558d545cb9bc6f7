//! Loads the top of each leaderboard when a request needs it, or before the first request on a large site.

use std::sync::Arc;

use crate::domain::scores::Metric;
use crate::domain::top_n::{MIN_ENTRIES, SPARE_ENTRIES, TopN};
use crate::store::conn::AnyConn;
use crate::store::{StoreError, guilds, leaderboard};

use super::Projections;
use super::cache::LeaderboardCache;

/// How many rows are read in one query ahead of the first request.
const READ_AHEAD: usize = 500;

/// `(id, score, name)`, best first.
type TopRows = Vec<(i64, i64, String)>;

impl Projections {
    /// Requests every leaderboard of a large site, where a page from the database takes milliseconds.
    pub fn request_large_leaderboards(&self) {
        if self.is_large_site() {
            self.players.cache.request_all();
            self.guilds.cache.request_all();
        }
    }

    /// Loads the requested orders; on a large site also the rows.
    pub(super) async fn load_requested_tops(&self) -> Result<(), StoreError> {
        for metric in self.players.cache.requested() {
            let ids = self.load_top(&self.players.cache, metric, leaderboard::top).await?;
            for ids in ids.chunks(READ_AHEAD) {
                let rows = self.player_rows(ids).await?;
                let guild_ids: Vec<i64> = rows.iter().flatten().filter_map(|row| row.guild_id).collect();
                self.guild_rows(&guild_ids).await?;
            }
        }
        for metric in self.guilds.cache.requested() {
            for ids in self.load_top(&self.guilds.cache, metric, guilds::top).await?.chunks(READ_AHEAD) {
                self.guild_rows(ids).await?;
            }
        }
        Ok(())
    }

    /// Loads the top of a metric; returns the ids whose rows are read ahead.
    async fn load_top<E>(
        &self,
        cache: &LeaderboardCache<E>,
        metric: Metric,
        read: fn(&mut AnyConn, Metric, i64) -> diesel::QueryResult<TopRows>,
    ) -> Result<Vec<i64>, StoreError> {
        cache.start_loading(metric);
        let rows = self.store.read(move |conn| read(conn, metric, (MIN_ENTRIES + SPARE_ENTRIES) as i64)).await?;
        let top = TopN::new(rows.into_iter().map(|(id, score, name)| (id, score, Arc::from(name))));
        let read_ahead = if self.is_large_site() { MIN_ENTRIES } else { 0 };
        let ids = top.ids().take(read_ahead).collect();
        cache.finish_loading(metric, top);
        Ok(ids)
    }
}
