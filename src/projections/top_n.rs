//! Loads the top of each leaderboard when a request needs it, or before the first request on a large site.

use crate::domain::scores::Metric;
use crate::domain::top_n::{MIN_ENTRIES, SPARE_ENTRIES};
use crate::store::{StoreError, guilds, leaderboard};

use super::Projections;
use super::leaderboard::top;

/// How many rows are read in one query ahead of the first request.
const READ_AHEAD: usize = 500;

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
            self.load_top_players(metric).await?;
        }
        for metric in self.guilds.cache.requested() {
            self.load_top_guilds(metric).await?;
        }
        Ok(())
    }

    async fn load_top_players(&self, metric: Metric) -> Result<(), StoreError> {
        self.players.cache.start_loading(metric);
        let limit = (MIN_ENTRIES + SPARE_ENTRIES) as i64;
        let top = top(self.store.read(move |conn| leaderboard::top(conn, metric, limit)).await?);
        let ids: Vec<i64> = top.ids().take(self.read_ahead()).collect();
        self.players.cache.finish_loading(metric, top);
        for ids in ids.chunks(READ_AHEAD) {
            let rows = self.player_rows(ids).await?;
            let guild_ids: Vec<i64> = rows.iter().flatten().filter_map(|row| row.guild_id).collect();
            self.guild_rows(&guild_ids).await?;
        }
        Ok(())
    }

    async fn load_top_guilds(&self, metric: Metric) -> Result<(), StoreError> {
        self.guilds.cache.start_loading(metric);
        let limit = (MIN_ENTRIES + SPARE_ENTRIES) as i64;
        let top = top(self.store.read(move |conn| guilds::top(conn, metric, limit)).await?);
        let ids: Vec<i64> = top.ids().take(self.read_ahead()).collect();
        self.guilds.cache.finish_loading(metric, top);
        for ids in ids.chunks(READ_AHEAD) {
            self.guild_rows(ids).await?;
        }
        Ok(())
    }

    fn read_ahead(&self) -> usize {
        if self.is_large_site() { MIN_ENTRIES } else { 0 }
    }
}
