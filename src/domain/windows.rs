//! Leaderboards of a time window, laid out so that any page of any metric is a slice.
//!
//! Rows are sorted by handle; a stable sort by a metric then orders equal scores by handle. The order of a metric is computed
//! when it is first requested and takes four bytes per row.

use std::sync::OnceLock;

use crate::domain::scores::{Metric, Scores};

/// The period whose events a leaderboard counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    All,
    Day,
    Week,
    Month,
    /// Events of the newest patch.
    Patch,
}

impl Window {
    /// The values of the parameter `window`.
    pub const NAMES: [(&str, Self); 5] =
        [("all", Self::All), ("24h", Self::Day), ("7d", Self::Week), ("30d", Self::Month), ("patch", Self::Patch)];

    /// The length of a window of days.
    pub fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            _ => 30,
        }
    }
}

/// Scores of all players and guilds within a window.
#[derive(Debug, Default)]
pub struct WindowBoard {
    players: RankedTable,
    guilds: RankedTable,
}

/// Rows, and their order by each metric.
#[derive(Debug, Default)]
struct RankedTable {
    rows: Vec<Row>,
    /// By metric: indices into `rows`, best first, without rows whose score is 0.
    orders: [OnceLock<Vec<u32>>; Metric::ALL.len()],
}

/// A row of half the size of [`Scores`]: no sum of a window exceeds `u32`.
#[derive(Debug, Clone, Copy)]
struct Row {
    id: i64,
    figures: [u32; Scores::NAMES.len()],
}

/// The part of an order that a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    pub is_desc: bool,
    pub offset: i64,
    pub limit: i64,
}

/// A row of a leaderboard page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedRow {
    /// The id of the player or guild.
    pub id: i64,
    /// The scores within the window.
    pub scores: Scores,
    /// Equal scores share a rank.
    pub rank: i64,
}

impl Row {
    fn new(id: i64, scores: &Scores) -> Self {
        let small = |figure: i64| u32::try_from(figure.max(0)).unwrap_or(u32::MAX);
        Self { id, figures: <[i64; 8]>::from(*scores).map(small) }
    }

    fn scores(&self) -> Scores {
        Scores::from(self.figures.map(i64::from))
    }
}

impl WindowBoard {
    /// Creates the leaderboards. `players` are the visible players in the order of their handles, `guilds` are in the order of
    /// their tags.
    pub fn new(players: impl Iterator<Item = (i64, Scores)>, guilds: impl Iterator<Item = (i64, Scores)>) -> Self {
        Self { players: RankedTable::new(players), guilds: RankedTable::new(guilds) }
    }

    /// A page of the players whose score is above 0, and the number of such players.
    pub fn players(&self, metric: Metric, slice: Slice) -> (Vec<RankedRow>, i64) {
        self.players.page(metric, slice)
    }

    /// A page of the guilds whose score is above 0, and the number of such guilds.
    pub fn guilds(&self, metric: Metric, slice: Slice) -> (Vec<RankedRow>, i64) {
        self.guilds.page(metric, slice)
    }

    /// The row of a player with its rank; `None` if the score is 0.
    pub fn player(&self, id: i64, metric: Metric) -> Option<RankedRow> {
        let place = self.players.rows.iter().position(|row| row.id == id)?;
        Some(self.players.ranked(metric, place as u32)).filter(|row| row.scores.get(metric) > 0)
    }

    /// The number of players with any score in the window.
    pub fn len(&self) -> usize {
        self.players.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Size on the heap, in bytes.
    pub fn heap_bytes(&self) -> usize {
        [&self.players, &self.guilds].into_iter().map(RankedTable::heap_bytes).sum()
    }
}

impl RankedTable {
    fn new(rows: impl Iterator<Item = (i64, Scores)>) -> Self {
        let mut rows: Vec<Row> = rows.map(|(id, scores)| Row::new(id, &scores)).collect();
        rows.shrink_to_fit();
        Self { rows, orders: Default::default() }
    }

    fn score(&self, metric: Metric, place: u32) -> i64 {
        self.rows.get(place as usize).map_or(0, |row| row.scores().get(metric))
    }

    fn order(&self, metric: Metric) -> &[u32] {
        self.orders[metric as usize].get_or_init(|| {
            let all = 0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
            let mut order: Vec<u32> = all.filter(|&place| self.score(metric, place) > 0).collect();
            order.shrink_to_fit();
            order.sort_by_key(|&place| std::cmp::Reverse(self.score(metric, place)));
            order
        })
    }

    fn page(&self, metric: Metric, Slice { is_desc, offset, limit }: Slice) -> (Vec<RankedRow>, i64) {
        let order = self.order(metric);
        let from = usize::try_from(offset.max(0)).unwrap_or(usize::MAX).min(order.len());
        let to = from.saturating_add(usize::try_from(limit.max(0)).unwrap_or(usize::MAX)).min(order.len());
        let page = (from..to).map(|at| {
            let at = if is_desc { at } else { self.index_from_end(order, metric, at) };
            self.ranked(metric, order[at])
        });
        (page.collect(), order.len() as i64)
    }

    fn ranked(&self, metric: Metric, place: u32) -> RankedRow {
        let row = &self.rows[place as usize];
        let scores = row.scores();
        let above = self.order(metric).partition_point(|&place| self.score(metric, place) > scores.get(metric));
        RankedRow { id: row.id, scores, rank: 1 + above as i64 }
    }

    /// Converts an index into the ascending order to one into the descending order: scores are reversed, equal scores are not.
    fn index_from_end(&self, order: &[u32], metric: Metric, at: usize) -> usize {
        let score = self.score(metric, order[order.len() - 1 - at]);
        let begin = order.partition_point(|&place| self.score(metric, place) > score);
        let end = order.partition_point(|&place| self.score(metric, place) >= score);
        begin + (at - (order.len() - end))
    }

    fn heap_bytes(&self) -> usize {
        let orders = self.orders.iter();
        let orders = orders.filter_map(OnceLock::get).map(|order| order.capacity() * size_of::<u32>());
        self.rows.capacity() * size_of::<Row>() + orders.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kills(figures: &[i64]) -> WindowBoard {
        let scores = |&kills: &i64| Scores { pve_kills: kills, ..Scores::default() };
        let rows: Vec<_> = (1..).zip(figures.iter().map(scores)).collect();
        WindowBoard::new(rows.into_iter(), std::iter::empty())
    }

    const FIRST: Slice = Slice { is_desc: true, offset: 0, limit: 9 };

    /// `(rank, id)` of each row.
    fn page(board: &WindowBoard, is_desc: bool, offset: i64, limit: i64) -> Vec<(i64, i64)> {
        let (places, _) = board.players(Metric::PveKills, Slice { is_desc, offset, limit });
        places.iter().map(|place| (place.rank, place.id)).collect()
    }

    #[test]
    fn equal_scores_share_a_rank_and_are_ordered_by_handle_both_ways() {
        let board = kills(&[7, 3, 9, 7, 0, 3, 7]);
        assert_eq!(page(&board, true, 0, 9), [(1, 3), (2, 1), (2, 4), (2, 7), (5, 2), (5, 6)]);
        assert_eq!(page(&board, false, 0, 9), [(5, 2), (5, 6), (2, 1), (2, 4), (2, 7), (1, 3)]);
        assert_eq!(board.players(Metric::PveKills, Slice { limit: 1, ..FIRST }).1, 6);
        assert_eq!(board.players(Metric::Playtime, FIRST), (vec![], 0));
    }

    #[test]
    fn every_page_is_a_slice_of_the_whole() {
        let figures: Vec<i64> = (0..500).map(|n| n * 7 % 23).collect();
        let board = kills(&figures);
        for is_desc in [true, false] {
            let whole = page(&board, is_desc, 0, 1_000);
            assert!(whole.len() > 400);
            for offset in (0..whole.len() as i64).step_by(13) {
                let end = whole.len().min(offset as usize + 30);
                assert_eq!(page(&board, is_desc, offset, 30), whole[offset as usize..end]);
            }
        }
        assert_eq!(page(&board, true, i64::MAX, 30), []);
    }

    #[test]
    fn scores_beyond_u32_are_clamped() {
        let board = kills(&[i64::MAX, -5]);
        let (places, total) = board.players(Metric::PveKills, FIRST);
        assert_eq!((places[0].scores.pve_kills, total), (i64::from(u32::MAX), 1));
    }
}
